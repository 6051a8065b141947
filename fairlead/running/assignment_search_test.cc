#include "fairlead/running/assignment_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

World WorldOf(const std::string& more = "") {
  auto scenario = ParseScenario(
      "s.yaml",
      "platform: h200-partitions\nhorizon: 60ms\nnetworks: {segments: whole}\nload: 1.2\n"
      "arrivals: {process: poisson}\n"
      "tenants: [{name: a, networks: [vgg16]}, {name: b, networks: [squeezenet1-1]}]\n" +
          more);
  EXPECT_TRUE(scenario.has_value()) << scenario.error().message;
  auto world = BuildWorld(std::move(*scenario), &ReadFile);
  EXPECT_TRUE(world.has_value()) << world.error().message;
  return **world;
}

AssignmentSearchOptions Options(SearchMethod method, const std::string& goal = "goodput") {
  AssignmentSearchOptions options;
  options.method = method;
  options.budget = 32;
  options.goal = ParseSearchGoal(goal).value();
  return options;
}

TEST(SearchGoal, IsWrittenAsItIsRead) {
  for (const char* text : {"goodput", "slo99-throughput", "goodput:0.7+fairness:0.3", "energy"})
    EXPECT_EQ(FormatSearchGoal(ParseSearchGoal(text).value()), text);
  EXPECT_THAT(ParseSearchGoal("speed").error().message, HasSubstr("unknown goal 'speed'"));
  EXPECT_THAT(ParseSearchGoal("goodput:0").error().message, HasSubstr("a weight above 0"));
  EXPECT_FALSE(ParseSearchGoal("").has_value());
}

TEST(AssignmentSearch, IsAsSureAsTheNumberOfDraws) {
  EXPECT_NEAR(SureOf(200, 0.01), 1 - std::pow(0.99, 200), 1e-12);
  EXPECT_NEAR(SureOf(200, SureShare(200, 0.95)), 0.95, 1e-12);
  EXPECT_EQ(SureShare(0, 0.95), 1);
}

TEST(AssignmentSearch, FindsNothingWorseThanRatiosBySpeed) {
  const World world = WorldOf();
  for (const SearchMethod method :
       {SearchMethod::kSampling, SearchMethod::kLocal, SearchMethod::kHalving}) {
    const FoundAssignment found = SearchAssignment(world, Options(method)).value();
    EXPECT_GE(found.score, found.by_speed) << ToString(method);
    EXPECT_GT(found.draws, 20) << ToString(method);
    EXPECT_LE(found.simulations, 34) << ToString(method);
  }
}

TEST(AssignmentSearch, KeepsTheBestOfAllThatItSimulated) {
  const FoundAssignment found =
      SearchAssignment(WorldOf(), Options(SearchMethod::kSampling)).value();
  EXPECT_EQ(found.score, *std::ranges::max_element(found.scores));
}

TEST(AssignmentSearch, ScoresAreThoseOfARun) {
  const World world = WorldOf();
  const FoundAssignment found = SearchAssignment(world, Options(SearchMethod::kSampling)).value();
  const World believed = AsBelieved(world);
  const auto again = GoalTrial(believed).Score(
      GoalKind::kGoodput,
      [&](DropRule drop) { return MakeGoalDirected("again", {.drop = drop}, found.ratios); }, 101);
  EXPECT_EQ(again.value(), found.score);
}

TEST(AssignmentSearch, JudgesTheBestAgainOnOtherTraffic) {
  const World world = WorldOf();
  AssignmentSearchOptions options = Options(SearchMethod::kSampling);
  options.budget = 96;  // 24 of them for ratios by speed and the best five, four times each
  const FoundAssignment found = SearchAssignment(world, options).value();
  EXPECT_EQ(found.draws, 71);
  EXPECT_EQ(found.simulations, 96);
  const World believed = AsBelieved(world);
  double sum = 0;
  for (const std::uint64_t seed : {102, 103, 104, 105}) {
    const auto policy = [&](DropRule drop) {
      return MakeGoalDirected("again", {.drop = drop}, found.ratios);
    };
    sum += GoalTrial(believed).Score(GoalKind::kGoodput, policy, seed).value() / 4;
  }
  EXPECT_NEAR(sum, found.score, 1e-9);
  EXPECT_GE(found.score, found.by_speed);
}

TEST(AssignmentSearch, IsTheSameForTheSameSeed) {
  const World world = WorldOf();
  const auto text = [&](std::uint64_t seed) {
    AssignmentSearchOptions options = Options(SearchMethod::kLocal);
    options.seed = seed;
    return FormatAllocationRatios(SearchAssignment(world, options).value().ratios);
  };
  EXPECT_EQ(text(5), text(5));
  EXPECT_NE(text(5), text(6));
}

TEST(AssignmentSearch, SimulatesWhatIsBelieved) {
  const auto score = [&](const char* belief) {
    return SearchAssignment(WorldOf(belief), Options(SearchMethod::kSampling, "throughput"))
        .value()
        .by_speed;
  };
  const double none = score("");
  EXPECT_EQ(none, score("interference: {truth: constant:3}\n"));
  EXPECT_LT(score("interference: {belief: constant:3}\n"), 0.6 * none);
}

TEST(AssignmentSearch, TakesMixedGoals) {
  const FoundAssignment found =
      SearchAssignment(WorldOf(), Options(SearchMethod::kSampling, "goodput+fairness:0.5")).value();
  EXPECT_NEAR(found.by_speed, 1.5, 1e-9);
  EXPECT_GE(found.score, found.by_speed);
}

TEST(AssignmentSearch, SaysWhatCannotBeSearched) {
  EXPECT_THAT(
      SearchAssignment(WorldOf(), Options(SearchMethod::kSampling, "energy")).error().message,
      HasSubstr("the costs of this world have none"));
}

}  // namespace
}  // namespace fairlead
