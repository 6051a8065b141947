#include "fairlead/running/live_comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "fairlead/execution/testing/stepping_clock.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

constexpr const char* kScenario = R"(
horizon: 60ms
platform:
  accelerators: [{kind: simba, count: 2}, {kind: eyeriss}]
networks: {segments: blocks, layers_per_block: 5}
load: 0.6
tenants:
  - {name: a, networks: [alexnet]}
  - {name: b, networks: [mobilenet-v2]}
)";

std::unique_ptr<const World> MakeWorld() {
  return std::move(BuildWorld(ParseScenario("test.yaml", kScenario).value(), &ReadFile).value());
}

TEST(LiveComparison, SetsSimulatedBesideLive) {
  const auto world = MakeWorld();
  const SteppingClock clock(std::chrono::microseconds(20));
  const auto figures = RunOnce(
      *world, {.policy = "edf-h", .pace = Pace::kSleep, .clock = &clock, .compare = true}, {});
  ASSERT_TRUE(figures.has_value()) << figures.error().message;
  ASSERT_TRUE(figures->live.has_value());
  const LiveFigures& live = *figures->live;
  EXPECT_EQ(live.pace, "sleep");
  EXPECT_FALSE(live.others_share.has_value());  // it has no cores of its own
  ASSERT_TRUE(live.comparison.has_value());
  ASSERT_EQ(live.comparison->tenants.size(), 2);
  std::uint64_t requests = 0;
  for (const TenantComparison& tenant : live.comparison->tenants) {
    requests += tenant.requests;
    EXPECT_GT(tenant.simulated.p50_ms, 0);
    EXPECT_GE(tenant.live.p95_ms, tenant.live.p50_ms);
    EXPECT_GT(tenant.again.p50_ms, 0);
  }
  EXPECT_EQ(requests, figures->counts.ended());
  std::uint64_t segments = 0;
  for (const SegmentComparison& segment : live.comparison->segments) {
    segments += segment.segments;
    EXPECT_GE(segment.measured_us, segment.predicted_us);  // nothing is faster than its cost
  }
  EXPECT_EQ(segments, figures->segments);
}

TEST(LiveComparison, PredictsHandOversToo) {
  const std::string with = fmt::format("{}hand_overs: {{take_over: 1ms}}\n", kScenario);
  const auto world =
      std::move(BuildWorld(ParseScenario("test.yaml", with).value(), &ReadFile).value());
  const SteppingClock clock(std::chrono::microseconds(20));
  const auto figures = RunOnce(
      *world, {.policy = "edf-h", .pace = Pace::kSleep, .clock = &clock, .compare = true}, {});
  ASSERT_TRUE(figures.has_value()) << figures.error().message;
  bool took_over = false;
  for (const SegmentComparison& segment : figures->live->comparison->segments) {
    if (segment.passage != Passage::kTakesOver) continue;
    took_over = true;
    EXPECT_GT(segment.predicted_us, 1000);
  }
  EXPECT_TRUE(took_over);
}

TEST(LiveComparison, SimulatedRunsAreNotLive) {
  const auto figures = RunOnce(*MakeWorld(), {.policy = "edf-h"}, {});
  EXPECT_FALSE(figures->live.has_value());
}

TEST(MeasuredCosts, AreMeansWhereThereAreEnough) {
  const auto world = MakeWorld();
  const KindId kind = world->platform.accelerators[0].kind;
  const NetworkId network{0};
  const Duration first = world->truth->Alone(network, SegmentId{0}, kind)->latency;
  const Duration second = world->truth->Alone(network, SegmentId{1}, kind)->latency;
  const auto seen = [&](std::size_t segment, Duration time) {
    return LoggedSegment{.network = network,
                         .segment = SegmentId{segment},
                         .accelerator = AcceleratorId{0},
                         .time = time};
  };
  const std::vector<LoggedSegment> segments = {seen(0, 2 * first), seen(0, 2 * first),
                                               seen(0, 5 * first)};
  const CostTable measured = MeasuredCosts(*world, segments);
  EXPECT_EQ(measured.Alone(network, SegmentId{0}, kind)->latency, 3 * first);
  EXPECT_EQ(measured.Alone(network, SegmentId{1}, kind)->latency, 3 * second);  // like its network
  const KindId other = world->platform.accelerators[2].kind;
  EXPECT_EQ(measured.Alone(network, SegmentId{0}, other)->latency,
            world->truth->Alone(network, SegmentId{0}, other)->latency);
}

}  // namespace
}  // namespace fairlead
