// The examples of the thesis's third chapter, to the last digit that it prints; where its own
// arithmetic is off (phi of 1.36, 1.04 and 0.82), what its tables give.
#include <gtest/gtest.h>

#include <array>

#include "fairlead/fairness/sharing_measures.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/testing/mechanism_laws.h"

namespace fairlead {
namespace {

constexpr std::size_t kRounds = 3;
constexpr std::size_t kAccelerators = 4;

// Table 3.1. The preferences of its second row in the second round, [4,2,3,1], contradict the
// utilities beside them; by utility the third comes before the second.
constexpr std::array<std::array<std::array<double, kAccelerators>, kRounds>, 2> kUtilities = {{
    {{{0.1, 0.9, 0.1, 0.2}, {0.9, 0.9, 0.9, 0.6}, {0.8, 0.3, 0.9, 0.1}}},
    {{{0.5, 0.6, 0.5, 0.7}, {0.4, 0.5, 0.6, 0.6}, {0.6, 0.5, 0.1, 0.5}}},
}};
constexpr std::array<std::array<std::array<int, kAccelerators>, kRounds>, 2> kPreferences = {{
    {{{1, 3, 2, 0}, {0, 1, 2, 3}, {2, 0, 1, 3}}},
    {{{3, 1, 2, 0}, {3, 1, 2, 0}, {0, 1, 3, 2}}},
}};

using Schedule = std::array<std::array<int, kAccelerators>, kRounds>;  // whose each accelerator is
// Table 3.2.
constexpr Schedule kDynamic = {{{1, 0, 1, 0}, {0, 0, 1, 1}, {0, 1, 0, 1}}};
constexpr Schedule kFixed = {{{1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}}};
constexpr Schedule kTokens = {{{1, 0, 1, 1}, {0, 0, 0, 1}, {0, 1, 0, 1}}};

const std::vector<std::int64_t> kWeights = {1, 1};

// u_i(X_j) of all pairs; of one round, or of all.
std::vector<double> Swapped(const Schedule& schedule, std::size_t from = 0,
                            std::size_t to = kRounds) {
  std::vector<double> swapped(4);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t r = from; r < to; ++r) {
      for (std::size_t c = 0; c < kAccelerators; ++c)
        swapped[i * 2 + static_cast<std::size_t>(schedule[r][c])] += kUtilities[i][r][c];
    }
  }
  return swapped;
}

double Half(std::size_t agent) {
  double all = 0;
  for (const auto& round : kUtilities[agent]) {
    for (const double utility : round) all += utility;
  }
  return all / 2;
}

struct Printed {
  const Schedule* schedule;
  double first;
  double second;
  double first_phi;
  double second_phi;
};

TEST(WorkedExamplesTest, Table33AndItsIncentives) {
  EXPECT_NEAR(Half(0), 3.35, 1e-12);
  EXPECT_NEAR(Half(1), 3.05, 1e-12);
  for (const Printed& row :
       {Printed{&kDynamic, 4.6, 3.2, 1.373, 1.049}, Printed{&kFixed, 2.8, 3.1, 0.836, 1.016},
        Printed{&kTokens, 5.3, 3.3, 1.582, 1.082}}) {
    const std::vector<double> swapped = Swapped(*row.schedule);
    EXPECT_NEAR(swapped[0], row.first, 1e-12);
    EXPECT_NEAR(swapped[3], row.second, 1e-12);
    EXPECT_NEAR(SharingIncentive(swapped[0], Half(0)), row.first_phi, 5e-4);
    EXPECT_NEAR(SharingIncentive(swapped[3], Half(1)), row.second_phi, 5e-4);
  }
}

TEST(WorkedExamplesTest, SwapUtilitiesAndEnvy) {
  const std::vector<double> fixed = Swapped(kFixed);
  EXPECT_NEAR(fixed[1], 3.9, 1e-12);
  EXPECT_NEAR(fixed[2], 3.0, 1e-12);
  const Envy of_fixed = WeightedEnvy(kWeights, fixed);
  EXPECT_EQ(of_fixed.envious, 1);
  EXPECT_NEAR(of_fixed.ratios[1], 3.9 / 2.8, 1e-12);  // the first envies the second
  EXPECT_LT(of_fixed.ratios[2], 1);

  const std::vector<double> tokens = Swapped(kTokens);
  EXPECT_NEAR(tokens[1], 1.4, 1e-12);
  EXPECT_NEAR(tokens[2], 2.8, 1e-12);
  EXPECT_EQ(WeightedEnvy(kWeights, tokens).envious, 0);
}

// Chapter 3.4: in the first round both are better off with tokens than with a fixed partition.
TEST(WorkedExamplesTest, FirstRoundOfAFixedPartitionIsDominated) {
  const std::vector<double> fixed = Swapped(kFixed, 0, 1);
  const std::vector<double> tokens = Swapped(kTokens, 0, 1);
  EXPECT_NEAR(fixed[0], 0.3, 1e-12);
  EXPECT_NEAR(fixed[3], 1.1, 1e-12);
  EXPECT_NEAR(tokens[0], 0.9, 1e-12);
  EXPECT_NEAR(tokens[3], 1.7, 1e-12);
}

// M_0 of Table 3.2 comes from the mechanism itself, with the thesis's own preferences.
TEST(WorkedExamplesTest, DynamicPartitionGivesTable32) {
  const Market market = MarketOf({1, 1}, kAccelerators);
  const auto mechanism =
      MakeDynamicPartition(market, {.first = DynamicPartitionOptions::First::kFixed});
  Allocation allocation;
  for (std::size_t r = 0; r < kRounds; ++r) {
    Reports reports;
    for (std::size_t a = 0; a < 2; ++a) {
      reports.utilities.insert(reports.utilities.end(), kUtilities[a][r].begin(),
                               kUtilities[a][r].end());
      reports.preferences.insert(reports.preferences.end(), kPreferences[a][r].begin(),
                                 kPreferences[a][r].end());
    }
    ASSERT_TRUE(CheckReports(market, reports).has_value());
    mechanism->Allocate(reports, allocation);
    EXPECT_TRUE(std::ranges::equal(allocation.holder, kDynamic[r])) << "round " << r + 1;
  }
}

TEST(WorkedExamplesTest, EnvyCountsByWeight) {
  // Twice the weight may have twice as much.
  const std::vector<std::int64_t> weights = {1, 2};
  EXPECT_EQ(WeightedEnvy(weights, std::vector<double>{2, 4, 1, 4}).envious, 0);
  EXPECT_EQ(WeightedEnvy(weights, std::vector<double>{2, 5, 1, 4}).envious, 1);
  EXPECT_NEAR(WeightedWelfare(weights, std::vector<double>{2, 5}), 4, 1e-12);
}

}  // namespace
}  // namespace fairlead
