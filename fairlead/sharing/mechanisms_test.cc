// Every mechanism that needs no guest library, held to the laws of all.
#include "fairlead/sharing/mechanisms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "fairlead/base/random.h"
#include "fairlead/sharing/count_search.h"
#include "fairlead/sharing/testing/mechanism_laws.h"

namespace fairlead {
namespace {

MechanismUnderTest MostTokenFirst(const std::string& name, const MostTokenFirstOptions& options) {
  return {.name = name,
          .make = [options](const Market& m) { return *MakeMostTokenFirst(m, options); },
          .hands_out_all = options.useless == MostTokenFirstOptions::Useless::kTaken};
}

MechanismUnderTest Gandiva(const std::string& name, const GandivaFairOptions& options) {
  return {.name = name, .make = [options](const Market& m) { return MakeGandivaFair(m, options); }};
}

std::vector<MechanismUnderTest> All() {
  using Mtf = MostTokenFirstOptions;
  return {
      MostTokenFirst("most-token-first", {}),
      MostTokenFirst("most-token-first, whole tokens", {.price = Mtf::Price::kWholeToken}),
      MostTokenFirst("most-token-first, lowest first", {.ties = Mtf::Ties::kLowest}),
      MostTokenFirst("most-token-first, few tokens", {.tokens = 1}),
      MostTokenFirst("most-token-first, of use", {.useless = Mtf::Useless::kIdle}),
      {.name = "most-token-first-plus",
       .make = [](const Market& m) { return *MakeMostTokenFirstPlus(m, {}); }},
      {.name = "most-token-first-plus, few tokens",
       .make =
           [](const Market& m) { return *MakeMostTokenFirstPlus(m, {.tokens = 1, .sway = 1}); }},
      {.name = "token-game",
       .make = [](const Market& m) { return MakeTokenGame(m, {}); },
       .kinds = 1},
      Gandiva("gandiva-fair", {}),
      Gandiva("gandiva-fair, pool", {.scope = GandivaFairOptions::Scope::kPool}),
      {.name = "gandiva-fair, blind",
       .make =
           [](const Market& m) {
             return MakeGandivaFair(m, {.queues = GandivaFairOptions::Queues::kBlind});
           },
       .hands_out_all = true},
      {.name = "themis, by what waits",
       .make =
           [](const Market& m) {
             return MakeThemis(
                 m, {.rho = ThemisOptions::Rho::kWeighted, .work = ThemisOptions::Work::kWaiting},
                 SearchCounts);
           }},
      {.name = "time-equal", .make = [](const Market&) { return MakeTimeEqual(); }},
      {.name = "fixed-partition", .make = MakeFixedPartition, .hands_out_all = true},
      {.name = "dynamic-partition",
       .make = [](const Market& m) { return MakeDynamicPartition(m, {}); },
       .hands_out_all = true},
      {.name = "round-robin", .make = MakeTakeTurns, .hands_out_all = true},
      {.name = "greedy", .make = [](const Market& m) { return MakeGreedy(m, {}); }},
      {.name = "nash", .make = MakeNash},
      {.name = "drf", .make = MakeDrf, .kinds = 1},
      {.name = "karma", .make = [](const Market& m) { return MakeKarma(m, {}); }},
      {.name = "karma, nothing guaranteed",
       .make = [](const Market& m) { return MakeKarma(m, {.guaranteed = 0}); }},
      {.name = "max-min", .make = MakeMaxMin},
  };
}

TEST(MechanismsTest, AreSoundAndDeterministic) {
  for (const MechanismUnderTest& mechanism : All()) ExpectSoundAndDeterministic(mechanism);
}

TEST(MechanismsTest, TokensAreConservedInAMillionRounds) {
  const Market market = MarketOf({1, 3, 7}, 4);
  std::vector<std::unique_ptr<SharingMechanism>> all;
  all.push_back(*MakeMostTokenFirstPlus(market, {}));
  all.push_back(MakeTokenGame(market, {}));
  for (const auto& mechanism : all) {
    RandomStream random(1, "tokens");
    Reports reports;
    reports.utilities.assign(12, 0.5);
    reports.thresholds.assign(3, 0);
    Allocation allocation;
    mechanism->Allocate(reports, allocation);
    const auto total = [&] {
      const auto budgets = mechanism->Budgets();
      return std::accumulate(budgets.begin(), budgets.end(), std::int64_t{0});
    };
    const std::int64_t before = total();
    EXPECT_GT(before, 0);
    for (int r = 0; r < 1'000'000; ++r) {
      reports.utilities[random.Below(12)] = 0.1 * static_cast<double>(random.Below(10));
      reports.thresholds[random.Below(3)] = 0.1 * static_cast<double>(random.Below(10));
      mechanism->Allocate(reports, allocation);
    }
    EXPECT_EQ(total(), before) << mechanism->Name();
  }
}

// By hand: two agents, one big accelerator (kind 0) that both want at 0.9, one small one. There are
// two tokens, one each. Agent 0 begins and pays; its token goes to agent 1, who went without. Then
// agent 1 comes first, pays one of its two, and agent 0 inherits it. The small one is taken in
// turns.
TEST(TokenGameTest, TokensGoToWhoGoesWithout) {
  const Market market = MarketOf({1, 1}, 2);
  const auto mechanism = MakeTokenGame(market, {});
  const Reports reports{.utilities = {0.9, 0.3, 0.9, 0.3}};
  Allocation allocation;
  mechanism->Allocate(reports, allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{0, 0}));
  EXPECT_EQ(std::vector<std::int64_t>(mechanism->Budgets().begin(), mechanism->Budgets().end()),
            (std::vector<std::int64_t>{0, 2}));
  mechanism->Allocate(reports, allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{1, 1}));
  EXPECT_EQ(mechanism->Budgets()[0], 1);
}

// Two places, one kind of three, both value one at 0.5. The product gives two to one and one to the
// other; without either, the other would have all three. So the place with two keeps 1/3 of them,
// the other one 2/3 of one: nothing, rounded down.
TEST(CountAuctionTest, PaymentsAreHidden) {
  const CountSolution solution = AuctionCounts({.kinds = 1, .available = {3}, .worth = {0.5, 0.5}});
  EXPECT_EQ(solution.counts, (std::vector<int>{0, 0}));
  // Who takes nothing from anybody pays nothing.
  const CountSolution apart =
      AuctionCounts({.kinds = 2, .available = {3, 2}, .worth = {0.5, 0, 0, 0.5}});
  EXPECT_EQ(apart.counts, (std::vector<int>{3, 0, 0, 2}));
}

TEST(MechanismsTest, TradingIsSound) {
  // What is sold may be of no use to its buyer this round: rates count, not what waits.
  const Market market = MarketOf({1, 1, 1}, 8);
  Reports reports;
  reports.utilities.assign(24, 1.0);
  reports.rates = {1, 1.1, 1, 2, 1, 3};  // slow and fast kind of each agent
  const auto mechanism =
      MakeGandivaFair(market, {.scope = GandivaFairOptions::Scope::kEach,
                               .trading = GandivaFairOptions::Trading::kSecondPrice});
  std::vector<double> work(3);
  Allocation allocation;
  constexpr int kRounds = 3000;
  for (int r = 0; r < kRounds; ++r) {
    mechanism->Allocate(reports, allocation);
    for (std::size_t c = 0; c < 8; ++c) {
      const int agent = allocation.holder[c];
      ASSERT_NE(agent, Allocation::kNobody);
      work[static_cast<std::size_t>(agent)] +=
          reports.rates[static_cast<std::size_t>(agent) * 2 + c % 2];
    }
  }
  // Without trading: a third of 4 slow and 4 fast ones.
  EXPECT_GT(work[0] / kRounds, 4 * (1 + 1.1) / 3);
  EXPECT_GE(work[1] / kRounds, 4 * (1 + 2.0) / 3 - 0.01);
  EXPECT_GT(work[2] / kRounds, 4 * (1 + 3.0) / 3);
}

// What the first has can wait, what the second has expires: a third of it is worth the more.
TEST(MechanismsTest, StakesOutbidUtilities) {
  const Market market = MarketOf({1, 1}, 1);
  const Reports reports{.utilities = {0.9, 0.3}, .stakes = {0.1, 0.3}};
  ASSERT_TRUE(CheckReports(market, reports).has_value());
  Allocation allocation;
  (*MakeMostTokenFirstPlus(market, {}))->Allocate(reports, allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{1}));
  (*MakeMostTokenFirstPlus(market, {.stakes = false}))->Allocate(reports, allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{0}));
  MakeGreedy(market, {.by = GreedyOptions::By::kStake})->Allocate(reports, allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{1}));
  // What is of use stays so where nothing is at stake.
  (*MakeMostTokenFirstPlus(market, {}))
      ->Allocate({.utilities = {0.9, 0}, .stakes = {0, 1}}, allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{0}));
}

// Others have turns, or budgets that are equal again and again.
TEST(MechanismsTest, OrderOfListsDecidesNothing) {
  for (const MechanismUnderTest& mechanism : All()) {
    if (mechanism.name == "greedy" || mechanism.name == "most-token-first-plus")
      ExpectOrderOfListsDecidesNothing(mechanism);
  }
}

TEST(MechanismsTest, ZeroUtilitiesHarmNobody) {
  for (const MechanismUnderTest& mechanism : All()) ExpectZeroUtilitiesToDo(mechanism);
}

TEST(MechanismsTest, FollowWeightsInTheLongRun) {
  for (const MechanismUnderTest& mechanism : All()) {
    // Divided time has no holders, greedy cares for nobody, what is fixed cannot even out, and in
    // the token game who is served pays those who are not, which evens out weights too. Themis
    // looks at one round and remembers nothing of what whole accelerators left unequal.
    if (mechanism.name == "time-equal" || mechanism.name == "greedy" ||
        mechanism.name == "fixed-partition" || mechanism.name == "token-game" ||
        mechanism.name == "themis, by what waits")
      continue;
    ExpectWeightsInTheLongRun(mechanism);
  }
}

TEST(MechanismsTest, FixedPartitionDealsByWeight) {
  const Market market = MarketOf({1, 1, 2}, 8);
  const auto mechanism = MakeFixedPartition(market);
  Reports reports;
  reports.utilities.assign(24, 0.0);
  EXPECT_EQ(CountHeld(*mechanism, market, reports, 3), (std::vector<std::int64_t>{6, 6, 12}));
}

TEST(MechanismsTest, GreedyTakesTheLargestWeightedUtility) {
  const Market market = MarketOf({1, 2}, 3);
  const auto mechanism = MakeGreedy(market, {});
  Allocation allocation;
  mechanism->Allocate({.utilities = {0.9, 0.5, 0.0, 0.4, 0.4, 0.0}}, allocation);
  EXPECT_EQ(allocation.holder, (std::vector<int>{0, 1, Allocation::kNobody}));
}

// 9 slow and 18 fast ones; agent 0 has use for both, agent 1 for slow ones alone: of what it wants
// each has the same share, as far as whole accelerators allow.
TEST(MechanismsTest, DrfEqualisesDominantShares) {
  const auto market =
      Market::Make({{"a", 1}, {"b", 1}}, {{.kind = 0, .count = 9}, {.kind = 1, .count = 18}});
  ASSERT_TRUE(market.has_value());
  const auto mechanism = MakeDrf(*market);
  const Reports reports{.utilities = {0.5, 0.9, 0.5, 0.0}};
  const auto held = CountHeld(*mechanism, *market, reports, 100);
  // b has all slow ones until a, who begins with fast ones, has as large a share of those.
  EXPECT_EQ(held[0] + held[1], 2700);
  EXPECT_NEAR(static_cast<double>(held[1]), 900, 9);
}

// Both have use for all eight alike, but the first takes a quarter of the memory with each: its
// dominant share is the memory's, twice that of the time. So it has half as many as the second.
TEST(MechanismsTest, DrfCountsBandwidthAsAResource) {
  const auto market = Market::Make({{"a", 1}, {"b", 1}}, {{.kind = 0, .count = 8}});
  ASSERT_TRUE(market.has_value());
  Reports reports{.utilities = {0.5, 0.5}};
  EXPECT_EQ(CountHeld(*MakeDrf(*market), *market, reports, 3), (std::vector<std::int64_t>{12, 12}));
  reports.bandwidths = {0.25, 0};
  ASSERT_TRUE(CheckReports(*market, reports).has_value());
  EXPECT_EQ(CountHeld(*MakeDrf(*market), *market, reports, 3), (std::vector<std::int64_t>{8, 16}));
  reports.bandwidths = {0.25};
  EXPECT_FALSE(CheckReports(*market, reports).has_value());
}

// Five agents of equal rates and an accelerator: whoever had least so far may bid alone, so all
// have it in turns; without that it is offered to all, and payments leave it to where it is of most
// use.
// Two alike agents, two of four accelerators each: in turns, each comes to all of them, whatever
// waits there.
TEST(ThemisTest, InTurnsItIsBlindToQueues) {
  const Market market = MarketOf({1, 1}, 4, 1);
  const auto themis = MakeThemis(market, {.which = ThemisOptions::Which::kTurns}, SearchCounts);
  Reports reports;
  reports.rates = {1, 1};
  reports.utilities = {0.9, 0, 0, 0, 0.1, 0.1, 0.1, 0.1};
  Allocation allocation;
  std::vector<int> held(4);
  for (int round = 0; round < 8; ++round) {
    themis->Allocate(reports, allocation);
    EXPECT_EQ(std::ranges::count(allocation.holder, 0), 2);
    EXPECT_EQ(std::ranges::count(allocation.holder, 1), 2);
    for (std::size_t c = 0; c < 4; ++c) held[c] += allocation.holder[c] == 0 ? 1 : 0;
  }
  for (const int rounds : held) EXPECT_EQ(rounds, 4);
}

TEST(ThemisTest, OffersRoundsToTheWorstOff) {
  const Market market = MarketOf({1, 1, 1, 1, 1}, 1, 1);
  Reports reports{.utilities = {0.9, 0.5, 0.5, 0.5, 0.5}};
  reports.rates.assign(5, 1.0);
  const auto worst = MakeThemis(market, {.offered = 0.2}, AuctionCounts);
  EXPECT_EQ(CountHeld(*worst, market, reports, 50),
            (std::vector<std::int64_t>{10, 10, 10, 10, 10}));
  const auto all = MakeThemis(market, {}, AuctionCounts);
  EXPECT_EQ(CountHeld(*all, market, reports, 50), (std::vector<std::int64_t>{50, 0, 0, 0, 0}));
}

TEST(MechanismsTest, KarmaPaysThoseWhoLeaveTheirs) {
  const Market market = MarketOf({1, 1}, 4);
  const auto mechanism = MakeKarma(market, {});
  const Reports first_is_quiet{.utilities = {0, 0, 0, 0, 1, 1, 1, 1}};
  Reports both;
  both.utilities.assign(8, 1.0);
  EXPECT_EQ(CountHeld(*mechanism, market, first_is_quiet, 10), (std::vector<std::int64_t>{0, 40}));
  // In ten rounds the first earned 10 for its own and 10 like everybody, the second paid 30.
  EXPECT_EQ(mechanism->Budgets()[0] / mechanism->Grains(), 10 + 10);
  EXPECT_EQ(mechanism->Budgets()[1] / mechanism->Grains(), 10 - 30);
  // Now it has all that is nobody's own, until they are level.
  EXPECT_EQ(CountHeld(*mechanism, market, both, 10), (std::vector<std::int64_t>{30, 10}));
}

TEST(MechanismsTest, KarmaLosesNoGrainInAMillionRounds) {
  const Market market = MarketOf({1, 2, 4}, 5);
  const auto mechanism = MakeKarma(market, {.guaranteed = 60});
  Reports reports;
  reports.utilities.assign(15, 0.5);
  Allocation allocation;
  std::int64_t expected = 0;
  // Shares are 5/7, 10/7 and 20/7; of 60 % of them 0, 0 and 1 are whole: four are nobody's own.
  for (int r = 0; r < 1'000'000; ++r) {
    reports.utilities[static_cast<std::size_t>(r % 15)] = r % 3 == 0 ? 0.0 : 0.5;
    mechanism->Allocate(reports, allocation);
    const auto own = std::ranges::count(allocation.holder, 2) > 0 ? 1 : 0;
    const auto held = 5 - std::ranges::count(allocation.holder, Allocation::kNobody);
    const auto borrowed = held - own;
    const auto lent = std::min<std::int64_t>(borrowed, 1 - own);
    expected += 4 * mechanism->Grains() - (borrowed - lent) * mechanism->Grains();
  }
  const auto credits = mechanism->Budgets();
  EXPECT_EQ(std::accumulate(credits.begin(), credits.end(), std::int64_t{0}), expected);
}

// Two agents, one accelerator of a kind each: the second's work runs three times as fast on the
// second kind, the first's on both alike. The first has its own and a fifth of the other's time:
// 1.2 of a share of 1, as the second has 0.8 x 3 of a share of 2.
TEST(MechanismsTest, MaxMinDividesAsTheProgramSays) {
  const Market market = MarketOf({1, 1}, 2);
  const auto mechanism = MakeMaxMin(market);
  Allocation allocation;
  const Reports reports{.utilities = {1, 1, 1, 3}};
  int lent = 0;
  for (int r = 0; r < 100; ++r) {
    mechanism->Allocate(reports, allocation);
    EXPECT_EQ(allocation.holder[0], 0);
    if (allocation.holder[1] == 0) ++lent;
  }
  EXPECT_NEAR(lent, 20, 1);
}

}  // namespace
}  // namespace fairlead
