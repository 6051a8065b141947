// Tables seen through an error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fairlead/costs/cost_table.h"
#include "fairlead/costs/testing/small_table.h"

namespace fairlead {
namespace {

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

TEST(ChangedLatency, IsAsIfItHadAlwaysBeenSo) {
  const auto networks = ManySegments();
  CostTable table(networks, TwoKinds());
  CostTable other(networks, TwoKinds());
  for (std::size_t s = 0; s < networks[0].size(); ++s) {
    table.Set(NetworkId{0}, SegmentId{s}, kBig, {}, Taking(10));
    other.Set(NetworkId{0}, SegmentId{s}, kBig, {}, Taking(s == 7 ? 25 : 10));
    for (CostTable* both : {&table, &other})
      both->Set(NetworkId{0}, SegmentId{s}, kSmall, {}, Taking(30));
  }
  table.Seal(networks);
  other.Seal(networks);
  const auto row = [](std::int64_t latency) {
    return CostRow{NetworkId{0}, SegmentId{7}, kBig, {}, Taking(latency)};
  };
  EXPECT_TRUE(table.CanBecome(row(30)));
  EXPECT_FALSE(table.CanBecome(row(31)));  // the small one would be preferred
  EXPECT_FALSE(table.CanBecome(row(0)));
  ASSERT_TRUE(table.CanBecome(row(25)));
  table.SetLatency(row(25), networks[0]);
  EXPECT_EQ(table.FastestTotal(NetworkId{0}), other.FastestTotal(NetworkId{0}));
  for (std::size_t s = 0; s < 10; ++s)
    EXPECT_EQ(table.ShortestTail(NetworkId{0}, SegmentId{s}),
              other.ShortestTail(NetworkId{0}, SegmentId{s}));
  EXPECT_EQ(LatencyOf(table.Alone(NetworkId{0}, SegmentId{7}, kBig)), 25);
}

TEST(Perturbed, WithoutErrorIsTheSame) {
  EXPECT_EQ(LatencyOf(Believed({}).Alone(kDiamond, SegmentId{1}, kSmall)), 15);
}

// Bytes in no time would have no rate.
TEST(Perturbed, WhatTakesTimeIsNeverBelievedToTakeNone) {
  const auto networks = ManySegments();
  CostTable table(networks, TwoKinds());
  for (std::size_t s = 0; s < networks[0].size(); ++s)
    table.Set(NetworkId{0}, SegmentId{s}, kBig, {}, Taking(s == 0 ? 0 : 1'000));
  table.Seal(networks);
  std::vector<std::int64_t> latencies;
  table.Perturbed(networks, TwoKinds(), {.noise = 5}, 1).ForEach([&](const CostRow& row) {
    latencies.push_back(row.cost.latency.count());
  });
  EXPECT_EQ(latencies.front(), 0);
  EXPECT_EQ(*std::min_element(latencies.begin() + 1, latencies.end()), 1);
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

// Of one network, on one kind.
void ExpectSegmentsAlike(const CostTable& believed) {
  EXPECT_NEAR(Factor(believed, kPair, SegmentId{0}, kSmall),
              Factor(believed, kPair, SegmentId{1}, kSmall), 0.01);
}

TEST(Perturbed, EntriesShareTheErrorOfTheirNetwork) {
  const CostTable believed = Believed({.network_noise = 3});
  ExpectSegmentsAlike(believed);
  EXPECT_NE(Factor(believed, kPair, SegmentId{0}, kSmall),
            Factor(believed, kDiamond, SegmentId{0}, kSmall));
}

TEST(Perturbed, EntriesShareTheErrorOfTheirKind) {
  const CostTable believed = Believed({.kind_noise = 3});
  ExpectSegmentsAlike(believed);
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
