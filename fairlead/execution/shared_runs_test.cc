#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "fairlead/execution/network_work.h"
#include "fairlead/execution/testing/fake_processor.h"
#include "fairlead/execution/testing/manual_clock.h"

namespace fairlead {
namespace {

constexpr std::size_t kSharedLayers = 9;
constexpr std::size_t kSharedSegments = 3;

TEST(SharedRuns, AJobThatMovesFindsItsTensorsInPlace) {
  FakeBehaviour behaviour[2];
  LoadSpec spec;
  for (FakeBehaviour& one : behaviour) {
    one.shares = true;
    spec.processors.push_back(std::make_unique<FakeProcessor>("p", one));
    spec.batches.push_back({{1}});
  }
  spec.networks.push_back({FakeGraph("g", kSharedLayers), {0, 3, 6, 9}});
  const auto networks = LoadedNetworks::Load(std::move(spec));
  std::vector<float> output;
  NetworkWork work(
      **networks,
      {.input = [](const JobSample& /*tensor*/,
                   std::span<float> numbers) { std::ranges::fill(numbers, 1.0F); },
       .output = [&](const JobSample& /*tensor*/,
                     std::span<const float> all) { output.assign(all.begin(), all.end()); }});
  const ManualClock clock;
  for (std::size_t segment = 0; segment < kSharedSegments; ++segment) {
    Assignment assignment;
    assignment.accelerator = AcceleratorId{segment % 2};
    assignment.network = NetworkId{0};
    assignment.segment = SegmentId{segment};
    assignment.jobs = {JobId{0}};
    assignment.serials = {1};
    SegmentRun run(assignment, Duration{1}, clock);
    EXPECT_EQ(work.CarryOut(run), WorkResult::kDone);
  }
  EXPECT_EQ(behaviour[0].saved + behaviour[1].saved, 0);
  EXPECT_EQ(output, std::vector<float>(3, FakeFactor(kSharedLayers)));
  EXPECT_TRUE(work.Empty());
}

}  // namespace
}  // namespace fairlead
