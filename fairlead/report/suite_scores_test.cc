#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/report/suite_report.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kAnn = 0;
constexpr std::size_t kBob = 1;
constexpr std::size_t kEve = 2;

// Three policies with one seed in four scenarios; eve cannot run in the last, nobody has a value in
// the third.
ScoreTable ByHand() {
  return {.policies = 3,
          .values = {
              {{0.9}, {0.8995}, {0.5}}, {{0.6}, {0.7}, {0.68}}, {{}, {}, {}}, {{0.4}, {0.38}, {}}}};
}

TEST(JudgeScores, LeavesOutScenariosWithoutTheMeasure) {
  const auto judged = JudgeScores(ByHand());
  ASSERT_EQ(judged.size(), 3U);
  EXPECT_EQ(judged[2].scenario, 3U);
  EXPECT_FALSE(judged[2].standings[kEve].has_value());
}

TEST(JudgeScores, LeadsAreSharedWithinATenthOfAPoint) {
  const auto judged = JudgeScores(ByHand());
  EXPECT_EQ(judged[0].leader, kAnn);
  EXPECT_TRUE(judged[0].standings[kAnn]->led);
  EXPECT_TRUE(judged[0].standings[kBob]->led);
  EXPECT_FALSE(judged[0].standings[kEve]->led);
  EXPECT_FALSE(judged[1].standings[kAnn]->led);
}

TEST(JudgeScores, OneSeedLeavesNothingOpen) {
  EXPECT_FALSE(JudgeScores(ByHand())[1].standings[kEve]->may_lead);
}

// Bob is 1, 2 and 3 points behind: 2 on average, 95 % interval 2 +- 2.48, which reaches 0. Eve is
// 2 +- 0.25 behind.
TEST(JudgeScores, MayLeadWhereTheIntervalOfThePairedDifferenceReachesTheTolerance) {
  const auto judged = JudgeScores(
      {.policies = 3, .values = {{{0.50, 0.60, 0.70}, {0.49, 0.58, 0.67}, {0.48, 0.581, 0.679}}}});
  ASSERT_EQ(judged.size(), 1U);
  EXPECT_NEAR(judged[0].standings[kBob]->behind, 0.02, 1e-12);
  EXPECT_NEAR(judged[0].standings[kEve]->behind, 0.02, 1e-12);
  EXPECT_TRUE(judged[0].standings[kBob]->may_lead);
  EXPECT_FALSE(judged[0].standings[kBob]->led);
  EXPECT_FALSE(judged[0].standings[kEve]->may_lead);
}

TEST(VerdictOn, CountsSharesOfJudgedScenarios) {
  const auto judged = JudgeScores(ByHand());
  const PolicyVerdict ann = VerdictOn(kAnn, judged);
  EXPECT_EQ(ann.scenarios, 3U);
  EXPECT_DOUBLE_EQ(ann.led, 2.0 / 3);
  EXPECT_NEAR(ann.mean_behind, 0.1 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(VerdictOn(kBob, judged).led, 2.0 / 3);
}

TEST(VerdictOn, ProfilesCountWhereItCouldNotRunAsFarBehind) {
  const auto judged = JudgeScores(ByHand());
  const PolicyVerdict bob = VerdictOn(kBob, judged);  // 0.05, 0 and 2 points behind
  EXPECT_DOUBLE_EQ(bob.Within(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(bob.Within(0.01), 2.0 / 3);
  EXPECT_DOUBLE_EQ(bob.Within(0.0201), 1);
  const PolicyVerdict eve = VerdictOn(kEve, judged);  // 40 and 2 points behind
  EXPECT_DOUBLE_EQ(eve.Within(0.03), 1.0 / 3);
  EXPECT_DOUBLE_EQ(eve.Within(100), 2.0 / 3);
  EXPECT_NEAR(eve.mean_behind, 0.21, 1e-12);
}

TEST(VerdictOn, NamesTheLargestLossFirstAndWhoLed) {
  const PolicyVerdict eve = VerdictOn(kEve, JudgeScores(ByHand()));
  ASSERT_EQ(eve.losses.size(), 2U);
  EXPECT_EQ(eve.losses[0].scenario, 0U);
  EXPECT_EQ(eve.losses[0].leader, kAnn);
  EXPECT_NEAR(eve.losses[0].behind, 0.4, 1e-12);
  EXPECT_EQ(eve.losses[1].leader, kBob);
}

TEST(VerdictOn, RivalsAreThoseAheadByMoreThanAPoint) {
  const auto judged = JudgeScores(ByHand());
  const PolicyVerdict eve = VerdictOn(kEve, judged);
  ASSERT_EQ(eve.rivals.size(), 2U);
  EXPECT_EQ(eve.rivals[0].policy, kBob);  // twice, ann once
  EXPECT_EQ(eve.rivals[0].scenarios, 2U);
  EXPECT_NEAR(eve.rivals[0].mean_lead, (0.3995 + 0.02) / 2, 1e-12);
  const PolicyVerdict ann = VerdictOn(kAnn, judged);
  ASSERT_EQ(ann.rivals.size(), 2U);
  EXPECT_EQ(ann.rivals[0].policy, kBob);  // once each, by 10 and by 8 points
}

SuiteRun RunOf(std::string policy, double hit_rate, double worst, std::optional<double> met) {
  SuiteRun run;
  run.figures.policy = std::move(policy);
  run.figures.hit_rate = hit_rate;
  run.figures.agreements.rates = {.count = 2, .min = worst};
  run.figures.agreements.met_share = met;
  run.figures.revenue = 30;
  run.stakes = {.least = -10, .most = 40};
  return run;
}

SuiteResults TwoScenarios() {
  SuiteResults results{.policies = {"ann", "bob"}, .scenarios = {}};
  results.scenarios.push_back({.name = "one",
                               .config = {},
                               .traits = {{"load", "high"}},
                               .runs = {RunOf("bob", 0.5, 0.3, 1.0), RunOf("bob", 0.7, 0.3, 1.0),
                                        RunOf("ann", 0.6, 0.4, 0.5), RunOf("ann", 0.9, 0.4, 0.5)},
                               .refusals = {}});
  results.scenarios.push_back({.name = "two",
                               .config = {},
                               .traits = {{"load", "low"}},
                               .runs = {RunOf("bob", 0.8, 0.8, std::nullopt)},
                               .refusals = {{"ann", "it will not"}}});
  return results;
}

TEST(ScoresOf, TakesEachMeasureFromWhereItStands) {
  const SuiteResults results = TwoScenarios();
  const auto one = [&](SuiteMeasure measure) { return ScoresOf(results, measure).values[0]; };
  EXPECT_THAT(one(SuiteMeasure::kHitRate)[kBob], ElementsAre(0.5, 0.7));
  EXPECT_THAT(one(SuiteMeasure::kWorstAgreement)[kAnn], ElementsAre(0.4, 0.4));
  EXPECT_THAT(one(SuiteMeasure::kMetShare)[kBob], ElementsAre(1, 1));
  EXPECT_THAT(one(SuiteMeasure::kRevenue)[kBob], ElementsAre(0.8, 0.8));
}

TEST(ScoresOf, HasNothingWhereAPolicyDidNotRunOrTheMeasureIsNotDefined) {
  const SuiteResults results = TwoScenarios();
  EXPECT_TRUE(ScoresOf(results, SuiteMeasure::kHitRate).values[1][kAnn].empty());
  EXPECT_TRUE(ScoresOf(results, SuiteMeasure::kMetShare).values[1][kBob].empty());
}

TEST(VerdictsByTrait, AveragesOverTheScenariosOfAClass) {
  const SuiteResults results = TwoScenarios();
  const JudgedMeasure judged = JudgeSuite(results, SuiteMeasure::kHitRate);
  const auto bob = VerdictsByTrait(kBob, results, judged.scenarios);
  ASSERT_EQ(bob.size(), 2U);
  EXPECT_EQ(bob[0].value, "high");
  EXPECT_NEAR(bob[0].mean_behind, 0.15, 1e-12);
  EXPECT_EQ(bob[1].scenarios, 1U);
  EXPECT_EQ(VerdictsByTrait(kAnn, results, judged.scenarios)[1].scenarios, 0U);
}

TEST(LeastBehindFirst, PutsThoseThatNeverRanLast) {
  SuiteResults results = TwoScenarios();
  results.policies.insert(results.policies.begin(), "nobody");
  EXPECT_THAT(LeastBehindFirst(JudgeSuite(results, SuiteMeasure::kHitRate)), ElementsAre(1, 2, 0));
}

}  // namespace
}  // namespace fairlead
