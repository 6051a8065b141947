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

namespace fairlead {
namespace {

using ::testing::ElementsAre;

constexpr NetworkId kDiamond{0};
constexpr NetworkId kPair{1};
constexpr KindId kBig{0};    // of four units
constexpr KindId kSmall{1};  // of one

Platform TwoKinds() {
  Platform platform;
  platform.AddKind("big", 1, 4);
  platform.AddKind("small", 2);
  return platform;
}

// A diamond 0 -> {1, 2} -> 3, and a chain of two.
std::vector<NetworkGraph> TwoNetworks() {
  const std::vector<SegmentSpec> diamond = {{"a", {}}, {"b", {0}}, {"c", {0}}, {"d", {1, 2}}};
  return {NetworkGraph::Create("diamond", diamond).value(), NetworkGraph::Chain("pair", 2)};
}

SegmentCost Taking(std::int64_t ns) { return {Duration{ns}, 10 * ns, 100 * ns}; }

// Latencies of the diamond: big 10 20 30 5, small 12 15 - 7; of the pair: small 100 200.
CostTable SmallTable() {
  const auto networks = TwoNetworks();
  CostTable table(networks, TwoKinds());
  const auto set = [&](NetworkId network, std::size_t segment, KindId kind, std::int64_t ns) {
    table.Set(network, SegmentId{segment}, kind, {}, Taking(ns));
  };
  set(kDiamond, 0, kBig, 10);
  set(kDiamond, 1, kBig, 20);
  set(kDiamond, 2, kBig, 30);
  set(kDiamond, 3, kBig, 5);
  set(kDiamond, 0, kSmall, 12);
  set(kDiamond, 1, kSmall, 15);
  set(kDiamond, 3, kSmall, 7);
  set(kPair, 0, kSmall, 100);
  set(kPair, 1, kSmall, 200);
  table.Seal(networks);
  return table;
}

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

std::optional<std::int64_t> LatencyOf(const SegmentCost* cost) {
  if (cost == nullptr) return std::nullopt;
  return cost->latency.count();
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

// Beliefs.

CostTable Believed(const BeliefError& error) {
  return SmallTable().Perturbed(TwoNetworks(), TwoKinds(), error, 1);
}

// A chain of many equal segments, to see the distribution of errors.
std::vector<NetworkGraph> ManySegments() { return {NetworkGraph::Chain("many", 4'000)}; }

constexpr std::int64_t kManyLatency = 1'000'000'000;

CostTable ManyTable() {
  const auto networks = ManySegments();
  CostTable table(networks, TwoKinds());
  for (std::size_t s = 0; s < networks[0].size(); ++s)
    table.Set(NetworkId{0}, SegmentId{s}, kBig, {}, Taking(kManyLatency));
  table.Seal(networks);
  return table;
}

// Believed over true latencies, by segment.
std::vector<double> Factors(const BeliefError& error, std::uint64_t seed = 1) {
  const CostTable believed = ManyTable().Perturbed(ManySegments(), TwoKinds(), error, seed);
  std::vector<double> factors;
  believed.ForEach([&](const CostRow& row) {
    factors.push_back(static_cast<double>(row.cost.latency.count()) / kManyLatency);
  });
  return factors;
}

TEST(Perturbed, WithoutErrorIsTheSame) {
  EXPECT_EQ(LatencyOf(Believed({}).Alone(kDiamond, SegmentId{1}, kSmall)), 15);
}

TEST(Perturbed, BiasIsExact) {
  EXPECT_EQ(LatencyOf(Believed({.bias = 0.25}).Alone(kPair, SegmentId{1}, kSmall)), 250);
}

TEST(Perturbed, NegativeBiasIsExact) {
  EXPECT_EQ(LatencyOf(Believed({.bias = -0.5}).Alone(kPair, SegmentId{0}, kSmall)), 50);
}

TEST(Perturbed, RoundsToTheNearest) {
  // 1.25 * 15 = 18.75
  EXPECT_EQ(LatencyOf(Believed({.bias = 0.25}).Alone(kDiamond, SegmentId{1}, kSmall)), 19);
}

TEST(Perturbed, BiasMovesTrafficToo) {
  EXPECT_EQ(Believed({.bias = 0.25}).Alone(kPair, SegmentId{1}, kSmall)->dram_bytes, 2'500);
}

TEST(Perturbed, BiasMovesEnergyToo) {
  EXPECT_EQ(Believed({.bias = 0.25}).Alone(kPair, SegmentId{1}, kSmall)->energy_pj, 25'000);
}

TEST(Perturbed, MovesWhatIsDerived) {
  EXPECT_EQ(Believed({.bias = 1}).ShortestTail(kDiamond, SegmentId{0}), Duration{90});
}

TEST(Perturbed, LeavesTheTruthAlone) {
  const CostTable truth = SmallTable();
  (void)truth.Perturbed(TwoNetworks(), TwoKinds(), {.bias = 1, .noise = 1}, 1);
  EXPECT_EQ(LatencyOf(truth.Alone(kPair, SegmentId{1}, kSmall)), 200);
}

TEST(Perturbed, HasTheSameRows) {
  const auto rows_of = [](const CostTable& table) {
    std::vector<std::tuple<NetworkId, SegmentId, KindId, Configuration>> rows;
    table.ForEach([&](const CostRow& row) {
      rows.emplace_back(row.network, row.segment, row.kind, row.configuration);
    });
    return rows;
  };
  EXPECT_EQ(rows_of(Believed({.noise = 0.5})), rows_of(SmallTable()));
}

// Believed over true latency.
double Factor(const CostTable& believed, NetworkId network, SegmentId segment, KindId kind) {
  return static_cast<double>(believed.Alone(network, segment, kind)->latency.count()) /
         static_cast<double>(SmallTable().Alone(network, segment, kind)->latency.count());
}

TEST(Perturbed, EntriesShareTheErrorOfTheirNetwork) {
  const CostTable believed = Believed({.network_noise = 3});
  EXPECT_NEAR(Factor(believed, kPair, SegmentId{0}, kSmall),
              Factor(believed, kPair, SegmentId{1}, kSmall), 0.01);
  EXPECT_NE(Factor(believed, kPair, SegmentId{0}, kSmall),
            Factor(believed, kDiamond, SegmentId{0}, kSmall));
}

TEST(Perturbed, EntriesShareTheErrorOfTheirKind) {
  const CostTable believed = Believed({.kind_noise = 3});
  EXPECT_NEAR(Factor(believed, kPair, SegmentId{0}, kSmall),
              Factor(believed, kPair, SegmentId{1}, kSmall), 0.01);
  EXPECT_NE(Factor(believed, kDiamond, SegmentId{1}, kBig),
            Factor(believed, kDiamond, SegmentId{1}, kSmall));
}

TEST(Perturbed, CannotMakeTheImpossiblePossible) {
  EXPECT_EQ(Believed({.noise = 0.5}).Alone(kDiamond, SegmentId{2}, kSmall), nullptr);
}

TEST(Perturbed, NoiseHasMedianOne) {
  auto factors = Factors({.noise = 0.5});
  std::ranges::nth_element(factors, factors.begin() + 2'000);
  EXPECT_NEAR(factors[2'000], 1, 0.04);  // four standard errors
}

TEST(Perturbed, NoiseIsTheDeviationOfTheLogarithm) {
  double squares = 0;
  for (double factor : Factors({.noise = 0.5})) squares += std::log(factor) * std::log(factor);
  EXPECT_NEAR(std::sqrt(squares / 4'000), 0.5, 0.023);
}

TEST(Perturbed, NoiseComesOnTopOfBias) {
  auto factors = Factors({.bias = 1, .noise = 0.5});
  std::ranges::nth_element(factors, factors.begin() + 2'000);
  EXPECT_NEAR(factors[2'000], 2, 0.08);
}

TEST(Perturbed, IsTheSameForTheSameStream) {
  EXPECT_EQ(Factors({.noise = 0.5}), Factors({.noise = 0.5}));
}

TEST(Perturbed, DiffersBetweenSeeds) {
  EXPECT_NE(Factors({.noise = 0.5}, 1), Factors({.noise = 0.5}, 2));
}

TEST(Perturbed, DoesNotDependOnWhatElseThereIs) {
  const std::vector<NetworkGraph> both = {NetworkGraph::Chain("other", 3),
                                          NetworkGraph::Chain("many", 4'000)};
  CostTable table(both, TwoKinds());
  for (std::size_t s = 0; s < both[1].size(); ++s)
    table.Set(NetworkId{1}, SegmentId{s}, kBig, {}, Taking(kManyLatency));
  table.Seal(both);
  std::vector<double> factors;
  table.Perturbed(both, TwoKinds(), {.noise = 0.5}, 1).ForEach([&](const CostRow& row) {
    factors.push_back(static_cast<double>(row.cost.latency.count()) / kManyLatency);
  });
  EXPECT_EQ(factors, Factors({.noise = 0.5}, 1));
}

TEST(Perturbed, ARowHasOneFactor) {
  const CostTable believed = ManyTable().Perturbed(ManySegments(), TwoKinds(), {.noise = 0.5}, 1);
  believed.ForEach([&](const CostRow& row) {
    // Traffic is ten times the latency; each is rounded.
    ASSERT_NEAR(static_cast<double>(row.cost.dram_bytes),
                10 * static_cast<double>(row.cost.latency.count()), 6);
  });
}

TEST(Perturbed, NeverOverflows) {
  const std::vector<NetworkGraph> networks = {NetworkGraph::Chain("one", 1)};
  CostTable table(networks, TwoKinds());
  table.Set(NetworkId{0}, SegmentId{0}, kBig, {}, {Duration{5'000'000'000'000}, 1, 1});
  table.Seal(networks);
  const CostTable believed = table.Perturbed(networks, TwoKinds(), {.bias = 1e12}, 1);
  EXPECT_EQ(LatencyOf(believed.Alone(NetworkId{0}, SegmentId{0}, kBig)), 10'000'000'000'000);
}

}  // namespace
}  // namespace fairlead
