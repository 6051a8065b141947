#include "fairlead/running/quote_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fairlead/running/quote_evidence.h"
#include "fairlead/running/quote_world.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

AgreementFigures Ended(int hits, int misses) {
  AgreementFigures figures;
  figures.counts.by_outcome[static_cast<std::size_t>(Outcome::kHit)] = hits;
  figures.counts.by_outcome[static_cast<std::size_t>(Outcome::kMiss)] = misses;
  figures.worst_window = 1;
  return figures;
}

TEST(MarginOf, IsTheShareAboveTheTarget) {
  AgreementFigures figures = Ended(90, 10);
  figures.target = 0.8;
  const auto margin = MarginOf({.target = 0.8}, figures);
  ASSERT_TRUE(margin.has_value());
  EXPECT_NEAR(margin->margin, 0.1, 1e-12);
  EXPECT_NEAR(margin->share, 0.9, 1e-12);
  EXPECT_NEAR(margin->grain, 0.01, 1e-12);
}

TEST(MarginOf, IsThatOfTheWorstPeriod) {
  AgreementFigures figures = Ended(90, 10);
  figures.target = 0.8;
  figures.periods = PeriodVerdicts{.periods = 4, .kept = 3, .worst = 0.7};
  const auto margin = MarginOf({.target = 0.8, .period = std::chrono::seconds{1}}, figures);
  EXPECT_NEAR(margin->margin, -0.1, 1e-12);
  EXPECT_NEAR(margin->grain, 0.04, 1e-12);
}

TEST(MarginOf, IsThatOfTheWindowWhereThatIsNearer) {
  AgreementFigures figures = Ended(90, 10);
  figures.target = 0.8;
  figures.worst_window = 0.75;  // 5 of 20 failed, 4 may
  const auto margin = MarginOf({.target = 0.8, .window = 20, .max_misses = 4}, figures);
  EXPECT_NEAR(margin->margin, -0.05, 1e-12);
}

TEST(MarginOf, IsNothingWithoutAPromiseOrARequest) {
  EXPECT_FALSE(MarginOf({}, Ended(90, 10)).has_value());
  AgreementFigures figures = Ended(0, 0);
  figures.target = 0.8;
  EXPECT_FALSE(MarginOf({.target = 0.8}, figures).has_value());
}

constexpr const char* kWorld = R"(
horizon: 20s
warm_up: 1s
networks: {profile: profile}
platform: {accelerators: [{kind: x, count: 2}]}
arrivals: {process: poisson}
deadlines: {factor: 5}
load: 1.2
tenants: [{count: 6, networks: [job], target: 75%}]
)";

Result<std::string> Read(const std::string& /*path*/) {
  return std::string(
      "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\njob,0,x,10000000,0,0\n");
}

World SmallWorld() {
  return SettledWorld(ParseScenario("small.yaml", kWorld).value(), 1, &Read).value();
}

// From eight simulated traffics to two hundred that nobody has looked at: about one in a hundred
// may be worse than predicted.
TEST(Predict, HoldsOnTrafficThatWasNotSeen) {
  const World world = SmallWorld();
  const TrialPlan plan{.policy = "edf-share"};
  const ChosenTraffic traffic = ChooseTraffic(world, {.first_seed = 1, .draws = 200}, 8);
  const auto evidence = Judge(world, traffic, {.plan = plan});
  ASSERT_TRUE(evidence.has_value());
  ASSERT_TRUE(evidence->forecast.has_value());
  const double predicted = evidence->forecast->worst_margin.value();
  const auto unseen = DrawTraffic(world, {.first_seed = 1001, .draws = 200});
  const auto trials = RunTrials(world, plan, unseen);
  ASSERT_TRUE(trials.has_value());
  std::vector<double> margins;
  for (const Trial& trial : *trials) margins.push_back(trial.Worst()->margin);
  std::ranges::sort(margins);
  EXPECT_GE(margins[6], predicted);
  EXPECT_LT(margins[100] - predicted, 0.05);  // and it is no guess on the safe side
}

TEST(Predict, IsCarefulWhereAllWereHits) {
  const World world = SmallWorld();
  std::vector<Trial> trials;
  std::vector<Traffic> drawn;
  for (int i = 0; i < 6; ++i) {
    const double weight = 1 + 0.01 * i;
    drawn.push_back({.seed = static_cast<std::uint64_t>(i), .weight = weight, .counts = {}});
    trials.push_back({.seed = static_cast<std::uint64_t>(i),
                      .weight = weight,
                      .margins = {world.agreements.size(),
                                  PromiseMargin{.margin = 0.01, .share = 0.76, .grain = 0.005}}});
  }
  EXPECT_GT(Predict(world, trials, drawn, 0.99).worst_margin.value(), 0);
  for (Trial& trial : trials) {
    for (auto& margin : trial.margins) margin->share = 1;
  }
  EXPECT_LT(Predict(world, trials, drawn, 0.99).worst_margin.value(), 0);
}

TEST(ChooseTraffic, SimulatesTheHeaviestButOneInAHundred) {
  const ChosenTraffic traffic = ChooseTraffic(SmallWorld(), {.first_seed = 1, .draws = 200}, 8);
  ASSERT_EQ(traffic.heavy.size(), 2U);
  EXPECT_EQ(traffic.others.size(), 6U);
  for (const Traffic& heavy : traffic.heavy) {
    const auto heavier = std::ranges::count_if(
        traffic.drawn, [&](const Traffic& other) { return other.weight > heavy.weight; });
    EXPECT_LE(heavier, 2);
    EXPECT_GE(heavier, 1);
  }
}

TEST(ProvablyNot, FollowsWhatMustBeServed) {
  World world = SmallWorld();  // 240 a second, of which 180 must be served; 200 can be
  const Traffic traffic = DrawTraffic(world, {.first_seed = 1}).front();
  EXPECT_FALSE(ProvablyNot(world, traffic));
  for (PlannedAgreement& planned : world.agreements) planned.agreement.target = 0.9;  // 216
  EXPECT_TRUE(ProvablyNot(world, traffic));
  EXPECT_FALSE(ProvablyNotAlone(world, traffic, 0));
  world.agreements[0].agreement.deadline = std::chrono::milliseconds{5};
  EXPECT_TRUE(ProvablyNotAlone(world, traffic, 0));
}

}  // namespace
}  // namespace fairlead
