#include "fairlead/workload/fluid_bound.h"

#include <gtest/gtest.h>

#include <vector>

#include "fairlead/workload/testing/fluid_world.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Two branches side by side between a first and a last segment; each takes 1 ms on the one
// accelerator of kind a, 10 ms on the two of kind b.
FluidWorld Diamond() {
  FluidWorld world;
  world.platform.AddKind("a", 1);
  world.platform.AddKind("b", 2);
  world.networks.push_back(
      *NetworkGraph::Create("diamond", {{"0", {}}, {"1", {0}}, {"2", {0}}, {"3", {1, 2}}}));
  world.costs = {
      std::vector<std::vector<SegmentCost>>(4, {Takes(milliseconds(1)), Takes(milliseconds(10))})};
  return world;
}

Result<LargestLoad> LoadOf(const FluidWorld& world, const std::vector<RequestRate>& mix) {
  const CostTable costs = world.table();
  return FindLargestLoad({world.platform, world.networks, costs, world.platform.bandwidth}, mix);
}

double MultipleOf(const FluidWorld& world, Duration deadline) {
  return LoadOf(world, {{NetworkId{0}, deadline, 1}}).value().multiple;
}

TEST(LargestLoad, OneMillisecondOnOneAcceleratorIsAThousandPerSecond) {
  EXPECT_NEAR(MultipleOf(Tiny(), seconds(1)), 1000, 1e-3);
}

TEST(LargestLoad, IsAMultipleOfTheMix) {
  EXPECT_NEAR(LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 250}}).value().multiple, 4, 1e-6);
}

TEST(LargestLoad, SumsGroups) {
  const auto load =
      LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 100}, {NetworkId{0}, seconds(2), 300}});
  EXPECT_NEAR(load.value().multiple, 2.5, 1e-6);
}

TEST(LargestLoad, AddsUpAccelerators) {
  FluidWorld world = Tiny();
  world.platform = {};
  world.platform.AddKind("simba", 3);
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 3000, 1e-3);
}

TEST(LargestLoad, SplitsBetweenKinds) {
  // 1000 per second on the fast one, 250 on each of the slow ones.
  EXPECT_NEAR(MultipleOf(FastAndSlow(), seconds(1)), 1500, 1e-3);
}

TEST(LargestLoad, ATightDeadlineExcludesTheSlowKind) {
  EXPECT_NEAR(MultipleOf(FastAndSlow(), milliseconds(1)), 1000, 1e-3);
}

TEST(LargestLoad, AMiddlingDeadlineLimitsTheSlowShare) {
  // A share q on the slow kind gives a mean latency of 1 + 3q <= 1.6 ms: q = 0.2, so the fast one
  // carries 80 % of the load.
  EXPECT_NEAR(MultipleOf(FastAndSlow(), microseconds(1600)), 1250, 1e-3);
}

TEST(LargestLoad, BandwidthLimits) {
  FluidWorld world = Tiny();
  world.platform.bandwidth = 400 * kMegabyte;
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 400, 1e-3);
}

TEST(LargestLoad, AWideBandwidthDoesNotLimit) {
  FluidWorld world = Tiny();
  world.platform.bandwidth = 2000 * kMegabyte;
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 1000, 1e-3);
}

TEST(LargestLoad, PrefersTheKindWithLessTraffic) {
  // On the slow kind a request moves nothing: 500 per second run there, 100 on the fast one.
  FluidWorld world = FastAndSlow();
  world.costs[0][0][0].dram_bytes = kMegabyte;
  world.platform.bandwidth = 100 * kMegabyte;
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 600, 1e-3);
}

TEST(LargestLoad, AChainSumsItsLatencies) {
  FluidWorld world = FastAndSlow();
  world.networks = {NetworkGraph::Chain("three", 3)};
  world.costs = {std::vector<std::vector<SegmentCost>>(3, world.costs[0][0])};
  // Mean latency 3 + 9q <= 4.8 ms: q = 0.2 again, and a request takes 3 * 0.8 ms of the fast one.
  EXPECT_NEAR(MultipleOf(world, microseconds(4800)), 1000 / 2.4, 1e-3);
}

TEST(LargestLoad, BranchesRunSideBySide) {
  // A path has three segments: 3 ms just fit, though the four take 4 ms; all on kind a.
  EXPECT_NEAR(MultipleOf(Diamond(), milliseconds(3)), 250, 1e-3);
}

TEST(LargestLoad, EveryPathFitsItsDeadline) {
  // 1.8 ms of slack on a path are a share of 0.2 of the slow kind on two segments of it, the
  // branches: 0.4 of 4 segments leave 3.6 ms. Or on both ends, but these lie on both paths.
  EXPECT_NEAR(MultipleOf(Diamond(), microseconds(4800)), 1000 / 3.6, 1e-3);
}

TEST(LargestLoad, PassesOverAGroupThatIsAlwaysLate) {
  const auto load =
      LoadOf(Tiny(), {{NetworkId{0}, microseconds(900), 50}, {NetworkId{0}, milliseconds(2), 100}});
  EXPECT_NEAR(load.value().multiple, 10, 1e-6);
}

TEST(LargestLoad, NamesAGroupThatIsAlwaysLate) {
  const auto load =
      LoadOf(Tiny(), {{NetworkId{0}, microseconds(900), 50}, {NetworkId{0}, milliseconds(2), 100}});
  EXPECT_EQ(load.value().excluded, std::vector<std::size_t>{0});
}

TEST(LargestLoad, NamesANetworkThatCannotRun) {
  FluidWorld world = Tiny();
  world.networks.push_back(NetworkGraph::Chain("homeless", 1));
  world.costs.push_back({{{}}});
  const auto load =
      LoadOf(world, {{NetworkId{0}, seconds(1), 100}, {NetworkId{1}, seconds(1), 100}});
  EXPECT_EQ(load.value().excluded, std::vector<std::size_t>{1});
}

TEST(LargestLoad, IgnoresKindsWithoutAccelerators) {
  FluidWorld world = FastAndSlow();
  world.platform = {};
  world.platform.AddKind("fast", 0);
  world.platform.AddKind("slow", 2);
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 500, 1e-3);
}

TEST(LargestLoad, RefusesAMixThatIsAlwaysLate) {
  EXPECT_EQ(LoadOf(Tiny(), {{NetworkId{0}, Duration{1}, 100}}).error().message,
            "load: no request can meet its deadline, even alone on the idle platform");
}

TEST(LargestLoad, RefusesAMixWithoutRequests) {
  EXPECT_EQ(LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 0}}).error().message,
            "load: what is asked for takes no time, so there is no load of it: give rates");
}

TEST(LargestLoad, BearsCostsOfAllMagnitudes) {
  FluidWorld world = FastAndSlow();
  world.costs[0][0] = {Takes(Duration{1}), Takes(kLongestDuration)};
  EXPECT_NEAR(MultipleOf(world, seconds(1)) / 1e9, 1, 1e-6);
}

TEST(LargestLoad, IsTheSameForTinyAndHugeRates) {
  const double tiny = LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 1e-6}}).value().multiple;
  const double huge = LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 1e6}}).value().multiple;
  EXPECT_NEAR(tiny / huge, 1e12, 1e6);
}

TEST(FluidBounds, AreOneWhereAllFits) {
  const auto bounds =
      BoundsOf(Tiny(), {{AgreementId{0}, NetworkId{0}, milliseconds(5), 900}}, seconds(1));
  EXPECT_EQ(bounds.value().hit_rate, 1);
}

TEST(FluidBounds, ServeWhatTimeAllows) {
  const auto bounds =
      BoundsOf(Tiny(), {{AgreementId{0}, NetworkId{0}, milliseconds(5), 4000}}, seconds(1));
  EXPECT_NEAR(bounds.value().hit_rate, 0.25, 1e-6);
}

TEST(FluidBounds, ServeWhatBandwidthAllows) {
  FluidWorld world = Tiny();
  world.platform.bandwidth = 100 * kMegabyte;
  const auto bounds =
      BoundsOf(world, {{AgreementId{0}, NetworkId{0}, milliseconds(15), 1000}}, seconds(2));
  EXPECT_NEAR(bounds.value().hit_rate, 0.2, 1e-5);
}

TEST(FluidBounds, CountRequestsThatAreAlwaysLateAsFailures) {
  const auto bounds = BoundsOf(Tiny(),
                               {{AgreementId{0}, NetworkId{0}, milliseconds(5), 30},
                                {AgreementId{0}, NetworkId{0}, microseconds(5), 10}},
                               seconds(1));
  EXPECT_EQ(bounds.value().hit_rate, 0.75);
}

TEST(FluidBounds, WithoutArrivalsAreOne) {
  EXPECT_EQ(BoundsOf(Tiny(), {}, seconds(1)).value().worst_agreement, 1);
}

// A cheap network (1 ms) of agreement 0 and a dear one (4 ms) of agreement 1.
FluidWorld CheapAndDear() {
  FluidWorld world = Tiny();
  world.networks.push_back(NetworkGraph::Chain("dear", 1));
  world.costs.push_back({{Takes(milliseconds(4))}});
  return world;
}
const std::vector<ArrivalCount> kCheapAndDear = {{AgreementId{0}, NetworkId{0}, seconds(1), 500},
                                                 {AgreementId{1}, NetworkId{1}, seconds(1), 500}};

TEST(FluidBounds, TheBestOverallRateStarvesTheDear) {
  // All 500 cheap ones, and in the other half second 125 dear ones.
  EXPECT_NEAR(BoundsOf(CheapAndDear(), kCheapAndDear, seconds(1)).value().hit_rate, 0.625, 1e-6);
}

TEST(FluidBounds, TheBestWorstAgreementServesBothAlike) {
  // w * 500 * 5 ms = 1 s
  EXPECT_NEAR(BoundsOf(CheapAndDear(), kCheapAndDear, seconds(1)).value().worst_agreement, 0.4,
              1e-6);
}

TEST(FluidBounds, TheWorstAgreementCannotBeatItsLateRequests) {
  const auto bounds = BoundsOf(Tiny(),
                               {{AgreementId{0}, NetworkId{0}, milliseconds(5), 10},
                                {AgreementId{1}, NetworkId{0}, milliseconds(5), 1},
                                {AgreementId{1}, NetworkId{0}, microseconds(5), 3}},
                               seconds(1));
  EXPECT_EQ(bounds.value().worst_agreement, 0.25);
}

}  // namespace
}  // namespace fairlead
