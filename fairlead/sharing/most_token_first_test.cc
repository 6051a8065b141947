#include <gtest/gtest.h>

#include <numeric>

#include "fairlead/base/random.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/testing/mechanism_laws.h"

namespace fairlead {
namespace {

using Options = MostTokenFirstOptions;

// Algorithm 1 by hand: two agents, weights 1 and 2, three accelerators, one token for each: budgets
// of 1 and 2 tokens, so 3 and 6 grains.
TEST(MostTokenFirstTest, FollowsAlgorithmOne) {
  const Market market = MarketOf({1, 2}, 3);
  const auto mechanism = *MakeMostTokenFirst(market, {.tokens = 1, .ties = Options::Ties::kLowest});
  Allocation allocation;
  EXPECT_EQ(mechanism->Grains(), 3);
  EXPECT_EQ(mechanism->Budgets()[0], 3);
  EXPECT_EQ(mechanism->Budgets()[1], 6);
  // b takes 2 (its best), is as rich as a, who then comes first and takes 0; b takes 1, which is
  // its next. 3 tokens are handed out: 3 and 6 grains again.
  mechanism->Allocate({.utilities = {0.9, 0.8, 0.1, 0.2, 0.6, 0.7}, .thresholds = {0.0, 0.5}},
                      allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(mechanism->Budgets()[0], 3);
  EXPECT_EQ(mechanism->Budgets()[1], 6);
  // Nothing reaches b's threshold: a buys one and has no budget left; b then has its turn for
  // nothing after a had its own.
  mechanism->Allocate({.utilities = {0.9, 0.8, 0.1, 0.2, 0.4, 0.3}, .thresholds = {0.0, 0.5}},
                      allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(mechanism->Budgets()[0], 3 - 3 + 1);
  EXPECT_EQ(mechanism->Budgets()[1], 6 + 2);
  // A third of a token buys, and leaves a debt of two thirds; the turn is a's again.
  mechanism->Allocate({.utilities = {0.9, 0.8, 0.1, 0.2, 0.4, 0.3}, .thresholds = {0.0, 0.5}},
                      allocation);
  EXPECT_EQ(allocation.holder[0], 0);
  EXPECT_EQ(mechanism->Budgets()[0], 1 - 3 + 1);
  EXPECT_EQ(mechanism->Budgets()[1], 8 + 2);
}

TEST(MostTokenFirstTest, OnlyWholeTokensBuyIfAskedFor) {
  const Market market = MarketOf({1, 2}, 1);
  const auto mechanism = *MakeMostTokenFirst(
      market,
      {.tokens = 1, .price = Options::Price::kWholeToken, .useless = Options::Useless::kIdle});
  Allocation allocation;
  // A third and two thirds of a token: nobody can pay, so it is handed out in turns.
  mechanism->Allocate({.utilities = {0.5, 0.5}}, allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{0}));
  mechanism->Allocate({.utilities = {0.5, 0.5}}, allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{1}));
  EXPECT_EQ(mechanism->Budgets()[0], 1);
  EXPECT_EQ(mechanism->Budgets()[1], 2);
}

TEST(MostTokenFirstTest, EqualBudgetsTakeTurns) {
  const Market market = MarketOf({1, 1, 1}, 3);
  const auto mechanism = *MakeMostTokenFirst(market, {});
  // All want 0 most: whoever comes first has it.
  const Reports reports{.utilities = {0.9, 0.5, 0.5, 0.9, 0.5, 0.5, 0.9, 0.5, 0.5}};
  std::vector<int> first;
  Allocation allocation;
  for (int r = 0; r < 4; ++r) {
    mechanism->Allocate(reports, allocation);
    first.push_back(allocation.holder[0]);
  }
  EXPECT_EQ(first, (std::vector<int>{0, 1, 2, 0}));
}

TEST(MostTokenFirstTest, LosesNoGrainInAMillionRounds) {
  const Market market = MarketOf({1, 3, 7}, 4);
  const auto mechanism = *MakeMostTokenFirst(market, {});
  RandomStream random(1, "grains");
  Reports reports;
  reports.utilities.resize(12);
  reports.thresholds.resize(3);
  Allocation allocation;
  const auto total = [&] {
    const auto budgets = mechanism->Budgets();
    return std::accumulate(budgets.begin(), budgets.end(), std::int64_t{0});
  };
  const std::int64_t before = total();
  EXPECT_EQ(before, 16 * mechanism->Grains());
  for (int r = 0; r < 1'000'000; ++r) {
    reports.utilities[random.Below(12)] = 0.1 * static_cast<double>(random.Below(10));
    reports.thresholds[random.Below(3)] = 0.1 * static_cast<double>(random.Below(10));
    mechanism->Allocate(reports, allocation);
    for (const std::int64_t budget : mechanism->Budgets()) ASSERT_GT(budget, -mechanism->Grains());
  }
  EXPECT_EQ(total(), before);
}

TEST(MostTokenFirstTest, RefusesTokensWithoutNumber) {
  const Market market = MarketOf({1}, 1);
  const auto none = MakeMostTokenFirst(market, {.tokens = 0});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message, "0 tokens; expected 1 or more");
}

}  // namespace
}  // namespace fairlead
