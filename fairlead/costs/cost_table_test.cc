#include "fairlead/costs/cost_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/costs/testing/small_table.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

std::string Preference(const CostTable& table, NetworkId network, std::size_t segment) {
  std::string text;
  for (const RankedKind& ranked : table.KindsOf(table.Affinity(network, SegmentId{segment})))
    text += fmt::format("{}{} ", ranked.kind == kBig ? "big" : "small", ranked.rank);
  return text;
}

TEST(CostTable, AffinityIsTheOrderOfKindsByLatency) {
  const CostTable table = SmallTable();
  EXPECT_EQ(Preference(table, kDiamond, 0), "big0 small1 ");
  EXPECT_EQ(Preference(table, kDiamond, 1), "small0 big1 ");
  EXPECT_EQ(Preference(table, kDiamond, 2), "big0 ");
  EXPECT_EQ(Preference(table, kPair, 0), "small0 ");
  EXPECT_EQ(table.Affinity(kDiamond, SegmentId{0}), table.Affinity(kDiamond, SegmentId{3}));
  EXPECT_EQ(table.Affinity(kPair, SegmentId{0}), table.Affinity(kPair, SegmentId{1}));
  EXPECT_EQ(table.affinities(), 4U);
}

TEST(CostTable, EqualLatenciesShareARank) {
  const auto networks = TwoNetworks();
  CostTable table(networks, TwoKinds());
  table.Set(kPair, SegmentId{0}, kBig, {}, Taking(7));
  table.Set(kPair, SegmentId{0}, kSmall, {}, Taking(7));
  table.Seal(networks);
  EXPECT_EQ(Preference(table, kPair, 0), "big0 small0 ");
}

// One segment on the big kind; (units, batch): latency is (1,1): 100, (2,1): 60, (2,4): 150,
// (4,1): 40, and (2,8): 250.
CostTable Variants() {
  const std::vector<NetworkGraph> networks = {NetworkGraph::Chain("one", 1)};
  CostTable table(networks, TwoKinds());
  const auto set = [&](Configuration configuration, std::int64_t ns) {
    table.Set(NetworkId{0}, SegmentId{0}, kBig, configuration, Taking(ns));
  };
  set({.units = 2, .batch = 8}, 250);
  set({.units = 1, .batch = 1}, 100);
  set({.units = 4, .batch = 1}, 40);
  set({.units = 2, .batch = 4}, 150);
  set({.units = 2, .batch = 1}, 60);
  table.Seal(networks);
  return table;
}

std::optional<std::int64_t> Found(int units, int batch) {
  return LatencyOf(
      Variants().Find(NetworkId{0}, SegmentId{0}, kBig, {.units = units, .batch = batch}));
}

TEST(CostTable, KnowsWhatASegmentCostsAlone) {
  EXPECT_EQ(LatencyOf(SmallTable().Alone(kDiamond, SegmentId{1}, kSmall)), 15);
}

TEST(CostTable, KeepsTraffic) {
  EXPECT_EQ(SmallTable().Alone(kPair, SegmentId{1}, kSmall)->dram_bytes, 2'000);
}

TEST(CostTable, KeepsEnergy) {
  EXPECT_EQ(SmallTable().Alone(kPair, SegmentId{1}, kSmall)->energy_pj, 20'000);
}

TEST(CostTable, KnowsWhatCannotRun) {
  EXPECT_EQ(SmallTable().Alone(kDiamond, SegmentId{2}, kSmall), nullptr);
}

TEST(CostTable, AloneIsOnAllUnits) {
  EXPECT_EQ(LatencyOf(Variants().Alone(NetworkId{0}, SegmentId{0}, kBig)), 40);
}

TEST(CostTable, AloneIsOnFewerUnitsWhereNotAllWereMeasured) {
  const std::vector<NetworkGraph> networks = {NetworkGraph::Chain("one", 1)};
  CostTable table(networks, TwoKinds());
  table.Set(NetworkId{0}, SegmentId{0}, kBig, {.units = 1, .batch = 1}, Taking(100));
  table.Set(NetworkId{0}, SegmentId{0}, kBig, {.units = 3, .batch = 1}, Taking(50));
  table.Set(NetworkId{0}, SegmentId{0}, kBig, {.units = 5, .batch = 1}, Taking(20));
  table.Seal(networks);
  EXPECT_EQ(LatencyOf(table.Alone(NetworkId{0}, SegmentId{0}, kBig)), 50);
}

TEST(CostTable, FindsTheExactConfiguration) { EXPECT_EQ(Found(2, 4), 150); }

TEST(CostTable, FindsTheMostUnitsNotAbove) { EXPECT_EQ(Found(3, 1), 60); }

TEST(CostTable, FindsTheSmallestBatchNotBelow) { EXPECT_EQ(Found(2, 2), 150); }

TEST(CostTable, FindsFewerUnitsWhereMoreHaveNoSuchBatch) { EXPECT_EQ(Found(4, 5), 250); }

TEST(CostTable, FindsNoUnitsBeyondTheGiven) { EXPECT_EQ(Found(9, 1), 40); }

TEST(CostTable, FindsNothingForTooLargeABatch) { EXPECT_EQ(Found(4, 9), std::nullopt); }

TEST(CostTable, FindsNothingWhereOnlyMoreUnitsHaveTheBatch) {
  EXPECT_EQ(Found(1, 2), std::nullopt);
}

TEST(CostTable, KnowsTheLargestBatch) {
  EXPECT_EQ(Variants().LargestBatch(NetworkId{0}, SegmentId{0}, kBig), 8);
}

TEST(CostTable, HasNoBatchWhereItCannotRun) {
  EXPECT_EQ(Variants().LargestBatch(NetworkId{0}, SegmentId{0}, kSmall), 0);
}

TEST(CostTable, FastestIsOverAllKinds) {
  EXPECT_EQ(SmallTable().Fastest(kDiamond, SegmentId{1}), Duration{15});
}

TEST(CostTable, FastestTotalAddsAllSegments) {
  EXPECT_EQ(SmallTable().FastestTotal(kDiamond), Duration{10 + 15 + 30 + 5});
}

TEST(CostTable, FastestTotalIsPerNetwork) {
  EXPECT_EQ(SmallTable().FastestTotal(kPair), Duration{300});
}

TEST(CostTable, ShortestTailIsTheLongestPath) {
  const CostTable table = SmallTable();
  std::vector<std::int64_t> tails;
  for (std::size_t s = 0; s < 4; ++s)
    tails.push_back(table.ShortestTail(kDiamond, SegmentId{s}).count());
  EXPECT_THAT(tails, ElementsAre(10 + 30 + 5, 15 + 5, 30 + 5, 5));
}

TEST(CostTable, FastestKindIsWhereItIsFastest) {
  EXPECT_EQ(SmallTable().FastestKind(kDiamond, SegmentId{0}), kBig);
  EXPECT_EQ(SmallTable().FastestKind(kDiamond, SegmentId{1}), kSmall);
}

// Segment 2 of the diamond runs on the big kind alone, and counts as it does there.
TEST(CostTable, AmongSomeKindsTheOthersDoNotCount) {
  const CostTable table = SmallTable().Among(TwoNetworks(), {false, true});
  EXPECT_EQ(table.Fastest(kDiamond, SegmentId{0}), Duration{12});
  EXPECT_EQ(table.FastestKind(kDiamond, SegmentId{2}), kBig);
  EXPECT_EQ(table.FastestTotal(kDiamond), Duration{12 + 15 + 30 + 7});
  EXPECT_EQ(table.ShortestTail(kDiamond, SegmentId{0}), Duration{12 + 30 + 7});
  EXPECT_NE(table.Alone(kDiamond, SegmentId{0}, kBig), nullptr);
  EXPECT_EQ(table.affinities(), SmallTable().affinities());
}

TEST(CostTable, ShortestTailIgnoresTheOrderOfIndices) {
  // 2 -> 0 -> 1: a chain whose indices do not follow its order.
  const std::vector<SegmentSpec> specs = {{"a", {2}}, {"b", {0}}, {"c", {}}};
  const std::vector<NetworkGraph> networks = {NetworkGraph::Create("net", specs).value()};
  CostTable table(networks, TwoKinds());
  for (std::size_t s = 0; s < 3; ++s)
    table.Set(NetworkId{0}, SegmentId{s}, kBig, {}, Taking(static_cast<std::int64_t>(s + 1)));
  table.Seal(networks);
  EXPECT_EQ(table.ShortestTail(NetworkId{0}, SegmentId{2}), Duration{3 + 1 + 2});
}

TEST(CostTable, SwitchingIsFreeUnlessSet) {
  EXPECT_EQ(SmallTable().Switching(kSmall).latency, Duration::zero());
}

TEST(CostTable, SwitchingIsPerKind) {
  CostTable table = SmallTable();
  table.SetSwitching(kSmall, Taking(9));
  EXPECT_EQ(table.Switching(kSmall).latency, Duration{9});
  EXPECT_EQ(table.Switching(kBig).latency, Duration::zero());
}

TEST(CostTable, ForEachVisitsInOrder) {
  std::vector<std::string> seen;
  SmallTable().ForEach([&](const CostRow& row) {
    seen.push_back(
        fmt::format("{}.{} on {}", row.network.value, row.segment.value, row.kind.value));
  });
  EXPECT_THAT(seen, ElementsAre("0.0 on 0", "0.0 on 1", "0.1 on 0", "0.1 on 1", "0.2 on 0",
                                "0.3 on 0", "0.3 on 1", "1.0 on 1", "1.1 on 1"));
}

TEST(CostTable, ForEachVisitsConfigurationsInOrder) {
  std::vector<std::string> seen;
  Variants().ForEach([&](const CostRow& row) {
    seen.push_back(fmt::format("{}x{}", row.configuration.units, row.configuration.batch));
  });
  EXPECT_THAT(seen, ElementsAre("1x1", "2x1", "2x4", "2x8", "4x1"));
}

TEST(CostTableDeathTest, ARowTwiceIsABug) {
  CostTable table = SmallTable();
  EXPECT_DEATH(table.Set(kPair, SegmentId{0}, kSmall, {}, Taking(1)), "configuration");
}

TEST(CostTableDeathTest, ANegativeLatencyIsABug) {
  CostTable table = SmallTable();
  EXPECT_DEATH(table.Set(kPair, SegmentId{0}, kBig, {}, Taking(-1)), "latency");
}

}  // namespace
}  // namespace fairlead
