// Accelerators that fail again and again under what runs there: under every policy jobs are given
// up after some failures, and others take their slots, with nobody queued twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/conformance/policy_specs.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

constexpr int kRequests = 200;

// npu.0 leaves in the middle of whatever it began, and a request arrives at that instant.
std::unique_ptr<const World> FailingWorld() {
  std::string changes;
  for (int i = 0; i < kRequests; ++i) {
    changes += fmt::format("  - {{at: {}ns, accelerator: npu.0, state: away}}\n", 20 * i + 5);
    changes += fmt::format("  - {{at: {}ns, accelerator: npu.0, state: back}}\n", 20 * i + 6);
  }
  std::string requests = "request,arrival_ns,tenant,network,deadline_ns\n";
  for (int i = 0; i < kRequests; ++i)
    requests += fmt::format("{},{},t{},{},{}\n", i, 20 * i + 5, i % 3, i % 2 == 0 ? "a" : "b",
                            i % 5 == 0 ? 30 : 100'000);
  auto world = WorldOfTexts(
      "platform:\n  accelerators: [{kind: npu, count: 2}]\nnetworks: {profile: profile}\n"
      "requests: requests\nchanges:\n" +
          changes,
      "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after\n"
      "a,0,npu,30,0,0,-\na,1,npu,10,0,0,0\nb,0,npu,25,0,0,-\nb,1,npu,25,0,0,-\n",
      requests);
  EXPECT_TRUE(world.has_value()) << world.error().message;
  return std::move(*world);
}

class Failures : public ::testing::TestWithParam<std::string> {};

TEST_P(Failures, EveryRequestEndsOnce) {
  const auto world = FailingWorld();
  SimulatedRun run(*world, GetParam(), 1);
  const Status status = run.Run();
  ASSERT_TRUE(status.has_value()) << status.error().message;
  std::vector<RequestNumber> ended;
  for (const End& end : run.ends()) ended.push_back(end.request);
  std::ranges::sort(ended);
  ASSERT_EQ(ended.size(), static_cast<std::size_t>(kRequests));
  EXPECT_EQ(std::ranges::adjacent_find(ended), ended.end());
}

INSTANTIATE_TEST_SUITE_P(All, Failures, ::testing::ValuesIn(PolicySpecs()),
                         [](const auto& test) { return TestName(test.param); });

TEST(FailingWorldTest, SomeAreGivenUp) {
  const auto world = FailingWorld();
  SimulatedRun run(*world, "fcfs-h", 1);
  ASSERT_TRUE(run.Run().has_value());
  EXPECT_TRUE(std::ranges::any_of(run.ends(),
                                  [](const End& end) { return end.reason == Reason::kFailed; }));
}

}  // namespace
}  // namespace fairlead::testing
