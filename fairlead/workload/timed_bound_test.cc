// Bounds that know when requests came, who was there, and all rows of the cost table.
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "fairlead/workload/fluid_bound.h"
#include "fairlead/workload/testing/fluid_world.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

Instant At(Duration time) { return Instant{} + time; }

FluidBounds TimedBoundsOf(const FluidWorld& world, const std::vector<TimedArrival>& arrivals,
                          const std::vector<PresenceChange>& changes = {}) {
  const CostTable costs = world.table();
  return FindTimedBounds({world.platform, world.networks, costs, world.platform.bandwidth},
                         arrivals, changes)
      .value();
}

// So many requests of network 0, every `gap` from `from` on.
std::vector<TimedArrival> Every(Duration gap, int count, Duration deadline, Duration from = {}) {
  std::vector<TimedArrival> arrivals;
  for (int i = 0; i < count; ++i) {
    const Instant arrival = At(from + i * gap);
    arrivals.push_back({AgreementId{0}, NetworkId{0}, arrival, arrival + deadline});
  }
  return arrivals;
}

// One segment on an accelerator of four units: 1 ms on all of them, 2 ms on one.
FluidWorld FourUnits() {
  FluidWorld world = Tiny();
  world.platform = {};
  world.platform.AddKind("npu", 1, /*units=*/4);
  world.costs = {{{}}};
  world.rows = {{NetworkId{0}, SegmentId{0}, KindId{0}, {4, 1}, Takes(milliseconds(1))},
                {NetworkId{0}, SegmentId{0}, KindId{0}, {1, 1}, Takes(milliseconds(2))}};
  return world;
}

TEST(FluidRows, UnitsApartMayBeFasterThanTogether) {
  // Four at a time take 2 ms: two per millisecond.
  const auto bounds =
      BoundsOf(FourUnits(), {{AgreementId{0}, NetworkId{0}, seconds(1), 8000}}, seconds(1));
  EXPECT_NEAR(bounds.value().hit_rate, 0.25, 1e-6);
}

TEST(FluidRows, AShortDeadlineNeedsAllUnits) {
  const auto bounds =
      BoundsOf(FourUnits(), {{AgreementId{0}, NetworkId{0}, microseconds(1500), 8000}}, seconds(1));
  EXPECT_NEAR(bounds.value().hit_rate, 0.125, 1e-6);
}

TEST(FluidRows, ABatchServesSeveral) {
  FluidWorld world = Tiny();
  world.rows = {{NetworkId{0}, SegmentId{0}, KindId{0}, {1, 4}, Takes(milliseconds(2))}};
  const auto bounds =
      BoundsOf(world, {{AgreementId{0}, NetworkId{0}, seconds(1), 8000}}, seconds(1));
  EXPECT_NEAR(bounds.value().hit_rate, 0.25, 1e-6);
}

TEST(FluidRows, NoBandwidthLimitsWhereNobodyCompetesForIt) {
  FluidWorld world = Tiny();
  world.platform.bandwidth = 1;
  const CostTable costs = world.table();
  const std::vector<ArrivalCount> arrivals = {{AgreementId{0}, NetworkId{0}, seconds(1), 1000}};
  EXPECT_EQ(FindFluidBounds({world.platform, world.networks, costs}, arrivals, seconds(1))
                .value()
                .hit_rate,
            1);
}

TEST(FluidRows, ASegmentTakesNoLessThanItsBytes) {
  // 1 MB at 500 MB/s take 2 ms, whatever the latency alone.
  FluidWorld world = Tiny();
  world.platform.bandwidth = 500 * kMegabyte;
  const auto late =
      BoundsOf(world, {{AgreementId{0}, NetworkId{0}, microseconds(1990), 1}}, seconds(1));
  EXPECT_EQ(late.value().hit_rate, 0);
  const auto in_time =
      BoundsOf(world, {{AgreementId{0}, NetworkId{0}, milliseconds(2), 1}}, seconds(1));
  EXPECT_EQ(in_time.value().hit_rate, 1);
}

TEST(TimedBounds, AreOneWhereAllFits) {
  EXPECT_EQ(TimedBoundsOf(Tiny(), Every(milliseconds(1), 100, milliseconds(1))).hit_rate, 1);
}

TEST(TimedBounds, KnowThatABurstDoesNotFit) {
  // Ten at once, each of 1 ms, and 4 ms for all; over the whole second there is time for all.
  auto arrivals = Every(Duration{}, 10, milliseconds(4));
  arrivals.push_back({AgreementId{0}, NetworkId{0}, At(milliseconds(996)), At(seconds(1))});
  EXPECT_NEAR(TimedBoundsOf(Tiny(), arrivals).hit_rate, 5.0 / 11, 1e-4);
}

TEST(TimedBounds, KnowThatABurstDoesNotFitTheMemory) {
  FluidWorld world = FastAndSlow();
  world.platform.bandwidth = 500 * kMegabyte;
  world.costs = {{{Takes(milliseconds(1), kMegabyte / 2), Takes(milliseconds(1), kMegabyte / 2)}}};
  // Three accelerators, but two requests' bytes at a time: 8 in 8 ms, of 24.
  EXPECT_NEAR(TimedBoundsOf(world, Every(Duration{}, 24, milliseconds(8))).hit_rate, 8.0 / 24,
              1e-4);
}

TEST(TimedBounds, LeaveRoomForWhatComesBeforeAndAfter) {
  // Two segments of 1 ms on a kind each. Three requests have 3 ms, and each accelerator 2 of them
  // for each's segments: the first runs in the first two, the second in the last two.
  FluidWorld world = Tiny();
  world.platform = {};
  world.platform.AddKind("a", 1);
  world.platform.AddKind("b", 1);
  world.networks = {NetworkGraph::Chain("two", 2)};
  world.costs = {{{Takes(milliseconds(1)), {}}, {{}, Takes(milliseconds(1))}}};
  EXPECT_NEAR(TimedBoundsOf(world, Every(Duration{}, 3, milliseconds(3))).hit_rate, 2.0 / 3, 1e-4);
}

TEST(TimedBounds, OfTheWorstAgreementKnowBursts) {
  // Of two networks of 1 ms the second comes all at once, of two agreements.
  FluidWorld world = Tiny();
  world.networks.push_back(NetworkGraph::Chain("other", 1));
  world.costs.push_back({{Takes(milliseconds(1))}});
  std::vector<TimedArrival> arrivals = Every(milliseconds(1), 90, milliseconds(1), milliseconds(9));
  for (TimedArrival one : Every(Duration{}, 10, milliseconds(4))) {
    one.agreement = AgreementId{1 + arrivals.size() % 2};
    one.network = NetworkId{1};
    arrivals.push_back(one);
  }
  EXPECT_NEAR(TimedBoundsOf(world, arrivals).worst_agreement, 0.4, 1e-4);
}

TEST(TimedBounds, KnowWhoIsAway) {
  // Gone after half of the requests.
  const auto arrivals = Every(milliseconds(2), 100, milliseconds(2));
  const std::vector<PresenceChange> changes = {{At(milliseconds(100)), AcceleratorId{0}, false}};
  EXPECT_NEAR(TimedBoundsOf(Tiny(), arrivals, changes).hit_rate, 0.5, 1e-6);
}

TEST(TimedBounds, KnowWhoComesBack) {
  const auto arrivals = Every(milliseconds(2), 100, milliseconds(2));
  const std::vector<PresenceChange> changes = {{At({}), AcceleratorId{0}, false},
                                               {At(milliseconds(150)), AcceleratorId{0}, true}};
  EXPECT_NEAR(TimedBoundsOf(Tiny(), arrivals, changes).hit_rate, 0.25, 1e-4);
}

TEST(TimedBounds, WhoIsAwayFromTheStartIsAsIfNotListed) {
  FluidWorld slow = FastAndSlow();
  slow.platform = {};
  slow.platform.AddKind("fast", 0);
  slow.platform.AddKind("slow", 2);
  const auto arrivals = Every(milliseconds(1), 50, milliseconds(9));
  const double without = TimedBoundsOf(slow, arrivals).hit_rate;
  EXPECT_LT(without, 0.7);
  EXPECT_NEAR(TimedBoundsOf(FastAndSlow(), arrivals, {{At({}), AcceleratorId{0}, false}}).hit_rate,
              without, 1e-6);
}

TEST(TimedBounds, AreNeverLooserThanThoseOfSums) {
  const auto arrivals = Every(microseconds(300), 200, milliseconds(3));
  const double sums =
      BoundsOf(FastAndSlow(), {{AgreementId{0}, NetworkId{0}, milliseconds(3), 200}},
               microseconds(199 * 300 + 3000))
          .value()
          .hit_rate;
  EXPECT_LE(TimedBoundsOf(FastAndSlow(), arrivals).hit_rate, sums + 1e-6);
}

TEST(TimedBounds, WithoutArrivalsAreOne) { EXPECT_EQ(TimedBoundsOf(Tiny(), {}).hit_rate, 1); }

}  // namespace
}  // namespace fairlead
