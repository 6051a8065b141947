#include "fairlead/running/policy_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "fairlead/running/learning_measures.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const std::vector<std::string>& TwoPolicies() {
  static const std::vector<std::string> kPolicies = {"edf-h", "edf-h:drop=early"};
  return kPolicies;
}

GridWorld Short() {
  return {.scenario = "firm",
          .settings = {{"horizon", "400ms"}, {"warm_up", "100ms"}, {"load", "1.2"}},
          .name = "short"};
}

TEST(PolicyGridTest, RunsEveryPolicyWithEverySeed) {
  double told = 0;
  const ExperimentPlan plan{
      .seed = 4, .seeds = 3, .progressed = [&](double share) { told = std::max(told, share); }};
  const auto grid = PolicyGrid::Run(Short(), TwoPolicies(), plan, {.begin = 0.5, .share = 0.25});
  ASSERT_TRUE(grid.has_value()) << grid.error().message;
  for (const std::string& policy : TwoPolicies()) {
    ASSERT_THAT(grid->Of(policy), SizeIs(3));
    for (std::size_t s = 0; s < 3; ++s) {
      EXPECT_EQ(grid->Of(policy)[s].policy, policy);
      EXPECT_EQ(grid->Of(policy)[s].seed, 4 + s);
    }
  }
  EXPECT_NEAR(told, 0.75, 1e-9);
}

TEST(PolicyGridTest, SeedsAreAtMostThoseAskedFor) {
  const auto grid = PolicyGrid::Run(Short(), TwoPolicies(), {.seeds = 3}, {.seeds = 1});
  ASSERT_TRUE(grid.has_value()) << grid.error().message;
  EXPECT_THAT(grid->BySeed("edf-h", OverallRate), SizeIs(1));
}

TEST(PolicyGridTest, AQuickPlanHasATenthOfTheTime) {
  GridWorld world = Short();
  const auto whole = PolicyGrid::Run(world, TwoPolicies(), {.seeds = 2}, {});
  world.settings[0].value = "4s";
  world.settings[1].value = "1s";
  const auto quick = PolicyGrid::Run(world, TwoPolicies(), {.quick = true, .seeds = 10}, {});
  ASSERT_TRUE(whole.has_value() && quick.has_value());
  EXPECT_EQ(quick->BySeed("edf-h", OverallRate), whole->BySeed("edf-h", OverallRate));
}

TEST(PolicyGridTest, NumbersAreNamedByMeasureWorldAndPolicy) {
  const auto grid = PolicyGrid::Run(Short(), TwoPolicies(), {.seeds = 2}, {});
  ASSERT_TRUE(grid.has_value()) << grid.error().message;
  ExperimentResults results;
  grid->AddNumbers("overall", OverallRate, results);
  std::vector<std::string> names;
  for (const ExperimentNumber& number : results.numbers) names.push_back(number.name);
  EXPECT_THAT(names, ElementsAre("overall/short/edf-h", "overall/short/edf-h:drop=early"));
  const std::array<PolicyGrid::Column, 1> columns = {{{"overall", OverallRate}}};
  EXPECT_THAT(grid->Table("caption", columns).rows, SizeIs(2));
  const HtmlFigure frontier =
      Frontier(std::span(&*grid, 1), "name", "title", {"x", OverallRate}, {"y", WorstRate});
  EXPECT_THAT(frontier.svg, HasSubstr("edf-h:drop=early"));
}

TEST(PolicyGridTest, AScenarioThatIsNotCarriedIsAnError) {
  const auto grid = PolicyGrid::Run({.scenario = "nowhere"}, TwoPolicies(), {}, {});
  ASSERT_FALSE(grid.has_value());
  EXPECT_THAT(grid.error().message, HasSubstr("scenarios/nowhere.yaml"));
}

// What agreements lack is theirs alone: who has more than was promised makes up for nobody.
TEST(LearningMeasuresTest, ShortfallsAreAddedUp) {
  RunFigures run;
  run.per_agreement = {{.target = 0.9, .hit_rate = 0.7},
                       {.target = 0.5, .hit_rate = 1.0},
                       {.target = 0.8, .hit_rate = 0.75},
                       {.hit_rate = 0.1}};
  EXPECT_NEAR(ShortfallSum(run), 0.25, 1e-12);
}

}  // namespace
}  // namespace fairlead
