#include "fairlead/running/suite_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fairlead/scenario/scenario.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

SuitePlan SmallPlan(int first, int scenarios, int threads) {
  return {.seed = 1,
          .first = first,
          .scenarios = scenarios,
          .policies = {"edf-h", "random", "fixed-plan"},
          .seeds = 2,
          .threads = threads,
          .drawn = {},
          .progressed = {}};
}

TEST(SuitePolicies, HasEveryPolicyAsItIsAndWithEarlyDropWhereThatDiffers) {
  const std::vector<std::string> policies = SuitePolicies();
  const auto has = [&](const char* spec) {
    return std::ranges::find(policies, spec) != policies.end();
  };
  EXPECT_TRUE(has("edf-h"));
  EXPECT_TRUE(has("edf-h:drop=early"));
  EXPECT_TRUE(has("edf-share"));
  EXPECT_FALSE(has("edf-share:drop=early"));  // it always does
  EXPECT_TRUE(has("fixed-plan"));             // so that somebody says that it cannot run
  EXPECT_EQ(std::set(policies.begin(), policies.end()).size(), policies.size());
}

TEST(SizedScenario, CanBeRunAndHasAsManySegmentsAsAreAllowed) {
  for (int number = 1; number <= 60; ++number) {
    const auto sized = SizedScenarioOf({.seed = 3, .number = number});
    ASSERT_TRUE(sized.has_value()) << sized.error().message;
    auto scenario = ParseScenario(sized->draft.name, sized->text);
    ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
    const auto world = BuildWorld(std::move(*scenario), &ReadFile);
    ASSERT_TRUE(world.has_value()) << world.error().message;
    double requests = 0;
    double segments = 0;
    for (const PlannedAgreement& planned : (*world)->agreements) {
      const double count = MeanRate(planned.arrivals) * Seconds((*world)->scenario.horizon);
      requests += count;
      segments +=
          count * static_cast<double>((*world)->networks[planned.agreement.network.index()].size());
    }
    EXPECT_LE(segments, kSuiteMostSegments * 1.02);  // the horizon is rounded up
    EXPECT_LE(requests, kSuiteMostRequests * 1.02);
    EXPECT_GE(std::max(segments / kSuiteFewestSegments, requests / kSuiteMostRequests), 0.98);
  }
}

TEST(RunSuite, RunsEveryPolicyAndSaysWhichCannot) {
  const auto results = RunSuite(SmallPlan(1, 1, 1));
  ASSERT_TRUE(results.has_value()) << results.error().message;
  ASSERT_EQ(results->scenarios.size(), 1U);
  const SuiteScenario& scenario = results->scenarios.front();
  EXPECT_EQ(scenario.runs.size(), 4U);  // two policies, two seeds
  ASSERT_EQ(scenario.refusals.size(), 1U);
  EXPECT_EQ(scenario.refusals[0].policy, "fixed-plan");
  EXPECT_NE(scenario.refusals[0].reason.find("needs a plan"), std::string::npos);
  for (const SuiteRun& run : scenario.runs) {
    constexpr double kRounding = 1e-6;  // sums in another order
    EXPECT_LE(run.figures.revenue, run.stakes.most + kRounding);
    EXPECT_GE(run.figures.revenue, run.stakes.least - kRounding);
    EXPECT_GT(run.stakes.most, 0);
  }
}

TEST(RunSuite, AScenarioIsTheSameWhateverRunsBesideIt) {
  const auto rates = [](const SuiteScenario& scenario) {
    std::vector<double> values;
    for (const SuiteRun& run : scenario.runs) values.push_back(run.figures.hit_rate.value());
    return values;
  };
  const auto both = RunSuite(SmallPlan(1, 2, 2));
  const auto second = RunSuite(SmallPlan(2, 1, 1));
  ASSERT_TRUE(both.has_value() && second.has_value());
  EXPECT_EQ(both->scenarios[1].config, second->scenarios[0].config);
  EXPECT_EQ(rates(both->scenarios[1]), rates(second->scenarios[0]));
}

TEST(RunSuite, TellsHowFarItIsAndWhatItDrew) {
  SuitePlan plan = SmallPlan(1, 1, 1);
  std::set<std::size_t> finished;
  std::string seen;
  plan.progressed = [&](std::size_t run, double share) {
    if (share >= 1) finished.insert(run);
  };
  plan.drawn = [&](const std::string& name, const std::string& text) -> Status {
    seen = name;
    return ParseScenario(name, text).has_value() ? Status{} : Fail("unreadable");
  };
  ASSERT_TRUE(RunSuite(plan).has_value());
  EXPECT_EQ(seen, "suite-1-1");
  EXPECT_EQ(finished, (std::set<std::size_t>{0, 1, 2, 3, 4, 5}));  // those that cannot run too
}

}  // namespace
}  // namespace fairlead
