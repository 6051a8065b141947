#include "fairlead/learning/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/learning/learned_policy.h"
#include "fairlead/learning/testing/two_kinds.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using Listed = TwoKindsWorld::Listed;

// What ran when and where: "x 0..10 0/1" is the second segment of request 0 on kind x.
class Timeline final : public RunListener {
 public:
  explicit Timeline(const TwoKindsWorld& world) : world_(world) {}
  void JobEnded(const Job& job, Outcome outcome, Reason /*reason*/, Instant now) override {
    ends.push_back(fmt::format("{} {} {}", job.request, ToString(outcome), Nanoseconds(now)));
  }
  void SegmentEnded(const Assignment& assignment, Instant now) override {
    const KindId kind = world_.platform.accelerators[assignment.accelerator.index()].kind;
    segments.push_back(fmt::format("{} {}..{} {}", kind == world_.x ? "x" : "y",
                                   Nanoseconds(assignment.start), Nanoseconds(now),
                                   assignment.segment.index()));
  }
  std::vector<std::string> segments;
  std::vector<std::string> ends;

 private:
  const TwoKindsWorld& world_;
};

// The same for every row.
std::vector<float> Always(const DecisionFeatures& features, float priority, float first = 0,
                          float second = 0) {
  std::vector<float> actions;
  for (std::size_t row = 0; row < features.size(); ++row)
    actions.insert(actions.end(), {priority, first, second, 0, 0});
  return actions;
}

// Answers that depend on what is seen, and differ from row to row.
std::vector<float> Odd(const DecisionFeatures& features) {
  std::vector<float> actions;
  for (std::size_t row = 0; row < features.size(); ++row) {
    const auto numbers = features.Row(row);
    float sum = features.system[1] + features.system[3];
    for (std::size_t i = 0; i < numbers.size(); ++i)
      sum += numbers[i] * static_cast<float>(i % 3 + 1);
    for (std::size_t i = 0; i < kActionsPerRow; ++i)
      actions.push_back(std::sin(sum * static_cast<float>(i + 1)));
  }
  return actions;
}

std::vector<TwoKindsWorld::Asked> Many(const TwoKindsWorld& world, std::size_t count) {
  RandomStream random(5, "requests");
  std::vector<TwoKindsWorld::Asked> asked;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at += static_cast<std::int64_t>(random.Below(12));
    const auto deadline = static_cast<std::int64_t>(30 + random.Below(80));
    asked.push_back({random.Below(2) == 0 ? world.a : world.b, at, deadline});
  }
  return asked;
}

class EnvironmentTest : public ::testing::Test {
 protected:
  Environment& Make(const std::vector<TwoKindsWorld::Asked>& asked,
                    const EnvironmentOptions& options = {}) {
    SimulationSetup setup = world_.Setup(asked);
    setup.listener = &timeline_;
    environment_ = std::make_unique<Environment>(std::move(setup), options);
    EXPECT_TRUE(environment_->Begin().has_value());
    return *environment_;
  }

  TwoKindsWorld world_;
  Timeline timeline_{world_};
  std::unique_ptr<Environment> environment_;
};

TEST_F(EnvironmentTest, ShowsTheLeastSlackFirst) {
  // b is as slow as it is urgent: 10 of 30, against 20 of 100 and 20 of 35.
  const Environment& environment = Make({{world_.a, 0, 100}, {world_.b, 0, 30}, {world_.a, 0, 35}});
  ASSERT_EQ(environment.features().size(), 3U);
  std::vector<std::size_t> order;
  for (const ReadySegment& segment : environment.features().segments)
    order.push_back(segment.serial);
  EXPECT_THAT(order, ElementsAre(3, 2, 1));
}

TEST_F(EnvironmentTest, ShowsNoMoreRowsThanAsked) {
  EnvironmentOptions options;
  options.frame.encoder.limit = 2;
  Environment& environment = Make(Many(world_, 40), options);
  while (!environment.over()) {
    EXPECT_LE(environment.features().size(), 2U);
    ASSERT_TRUE(environment.Step(Always(environment.features(), 0)).has_value());
  }
}

TEST_F(EnvironmentTest, EqualScoresMeanTheEarliestFinish) {
  Environment& environment = Make({{world_.a, 0, 100}, {world_.b, 0, 100}});
  while (!environment.over())
    ASSERT_TRUE(environment.Step(Always(environment.features(), 0)).has_value());
  EXPECT_THAT(timeline_.segments, ElementsAre("x 0..10 0", "y 0..10 0", "x 10..20 1"));
}

TEST_F(EnvironmentTest, ALowScoreSendsARowElsewhere) {
  // Column 0 is the kind where the row is fastest: a goes to y, b to x.
  Environment& environment = Make({{world_.a, 0, 1000}, {world_.b, 0, 1000}});
  while (!environment.over())
    ASSERT_TRUE(environment.Step(Always(environment.features(), 0, -1, 1)).has_value());
  EXPECT_THAT(timeline_.segments, ElementsAre("y 0..20 0", "x 0..40 0", "y 20..40 1"));
}

TEST_F(EnvironmentTest, ARowMayWaitForABetterKind) {
  // Two of a: the second would be done on y at 20, and on x too, for which it waits.
  Environment& environment = Make({{world_.a, 0, 1000}, {world_.a, 0, 1000}});
  ASSERT_TRUE(environment.Step(Always(environment.features(), 0, 1, -1)).has_value());
  EXPECT_EQ(Nanoseconds(environment.now()), 10);
  EXPECT_EQ(environment.features().size(), 2U);
}

TEST_F(EnvironmentTest, PriorityGoesBeforeSlack) {
  Environment& environment = Make({{world_.a, 0, 1000}, {world_.a, 0, 500}, {world_.a, 0, 700}});
  // Row 0 is the request with deadline 500; the one with 1000 comes first now, and gets x.
  std::vector<float> actions = Always(environment.features(), 0);
  actions[2 * kActionsPerRow] = 0.5F;
  ASSERT_TRUE(environment.Step(actions).has_value());
  std::vector<std::uint32_t> left;
  for (const Job& job : environment.engine().state().jobs) left.push_back(job.segments_left);
  EXPECT_THAT(left, ElementsAre(1, 2, 2));
}

TEST_F(EnvironmentTest, WhatIsDeferredWaits) {
  Environment& environment = Make({{world_.b, 0, 1000}, {world_.b, 0, 2000}});
  std::vector<float> actions = Always(environment.features(), 0);
  actions[kActionsPerRow] = -1;
  ASSERT_TRUE(environment.Step(actions).has_value());
  EXPECT_EQ(environment.features().size(), 1U);
  EXPECT_EQ(Nanoseconds(environment.now()), 10);
}

TEST_F(EnvironmentTest, SomethingStartsEvenIfAllIsDeferred) {
  Environment& environment = Make({{world_.b, 0, 1000}, {world_.b, 0, 2000}});
  while (!environment.over())
    ASSERT_TRUE(environment.Step(Always(environment.features(), -1)).has_value());
  EXPECT_THAT(timeline_.segments, ElementsAre("y 0..10 0", "y 10..20 0"));
}

TEST_F(EnvironmentTest, AnswersWithoutNumbersDoNoHarm) {
  Environment& environment = Make(Many(world_, 20));
  while (!environment.over())
    ASSERT_TRUE(environment.Step(Always(environment.features(), NAN, NAN, NAN)).has_value());
  EXPECT_EQ(timeline_.ends.size(), 20U);
}

TEST_F(EnvironmentTest, WhatCannotMakeItIsGivenUpUnasked) {
  Environment& environment = Make({{world_.a, 0, 19}});
  EXPECT_TRUE(environment.over());
  EXPECT_THAT(timeline_.ends, ElementsAre("0 rejected 0"));
  EXPECT_EQ(environment.steps(), 0U);
}

TEST_F(EnvironmentTest, RewardsAreDiscountedByTime) {
  EnvironmentOptions options;
  options.reward.tau = Duration{100};
  Environment& environment = Make({{world_.b, 0, 50}, {world_.b, 30, 50}}, options);
  const auto step = environment.Step(Always(environment.features(), 0));
  ASSERT_TRUE(step.has_value());
  EXPECT_NEAR(step->reward, std::exp(-0.1), 1e-12);    // a hit at 10
  EXPECT_NEAR(step->discount, std::exp(-0.3), 1e-12);  // the next decision is at 30
  EXPECT_EQ(Nanoseconds(step->time), 30);
  const auto last = environment.Step(Always(environment.features(), 0));
  EXPECT_EQ(last->discount, 0);
  EXPECT_TRUE(environment.over());
}

TEST_F(EnvironmentTest, NumbersStayWithinBounds) {
  EnvironmentOptions options;
  options.frame.encoder.awareness = Awareness::kIndicators;
  Environment& environment = Make(Many(world_, 100), options);
  while (!environment.over()) {
    const DecisionFeatures& features = environment.features();
    ASSERT_EQ(features.system.size(), kSystemFeatures);
    ASSERT_EQ(features.rows.size(),
              features.size() * DecisionEncoder::Width(Awareness::kIndicators));
    for (const auto* numbers : {&features.system, &features.rows}) {
      for (const float number : *numbers) {
        ASSERT_GE(number, -3);
        ASSERT_LE(number, 3);
      }
    }
    ASSERT_TRUE(environment.Step(Odd(features)).has_value());
  }
}

struct OddActor final : DecisionActor {
  void Act(const DecisionFeatures& features, std::span<float> actions) override {
    std::ranges::copy(Odd(features), actions.begin());
  }
};

TEST_F(EnvironmentTest, ARunInStepsIsTheSameRun) {
  const auto asked = Many(world_, 200);
  Environment& environment = Make(asked);
  while (!environment.over())
    ASSERT_TRUE(environment.Step(Odd(environment.features())).has_value());
  Timeline whole(world_);
  SimulationSetup setup = world_.Setup(asked);
  setup.listener = &whole;
  Simulator simulator(std::move(setup), MakeLearnedPolicy("odd", {}, std::make_unique<OddActor>()));
  ASSERT_TRUE(simulator.Run().has_value());
  EXPECT_EQ(timeline_.segments, whole.segments);
  EXPECT_EQ(timeline_.ends, whole.ends);
  EXPECT_GT(environment.steps(), 100U);
  EXPECT_LT(environment.steps(), environment.decisions());
}

TEST(EnvironmentOrderTest, TheOrderOfListsDoesNotMatter) {
  std::vector<std::vector<std::string>> runs;
  for (const Listed listed : {Listed::kForwards, Listed::kBackwards}) {
    TwoKindsWorld world(listed);
    Timeline timeline(world);
    SimulationSetup setup = world.Setup(Many(world, 200));
    setup.listener = &timeline;
    EnvironmentOptions options;
    options.frame.encoder.awareness = Awareness::kIndicators;
    Environment environment(std::move(setup), options);
    ASSERT_TRUE(environment.Begin().has_value());
    while (!environment.over())
      ASSERT_TRUE(environment.Step(Odd(environment.features())).has_value());
    std::ranges::sort(timeline.segments);
    runs.push_back(timeline.segments);
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST_F(EnvironmentTest, ProgressMovesRewardsAndLeavesTheirSum) {
  EnvironmentOptions options;
  options.reward.tau = std::chrono::hours{24};  // as good as no discount
  std::vector<std::vector<double>> rewards;
  for (const double progress : {0.0, 1.0}) {
    options.reward.progress = progress;
    Environment& environment = Make(Many(world_, 40), options);
    rewards.emplace_back();
    while (!environment.over()) {
      const auto step = environment.Step(Odd(environment.features()));
      ASSERT_TRUE(step.has_value());
      rewards.back().push_back(step->reward);
    }
  }
  ASSERT_EQ(rewards[0].size(), rewards[1].size());
  EXPECT_NE(rewards[0], rewards[1]);
  EXPECT_NEAR(std::accumulate(rewards[0].begin(), rewards[0].end(), 0.0),
              std::accumulate(rewards[1].begin(), rewards[1].end(), 0.0), 1e-6);
}

TEST(RewardTest, GrowsBelowTheTargetAndShrinksAboveIt) {
  const RewardOptions options{.kind = RewardKind::kIndicators, .step = 0.1};
  const auto worth = [&](Outcome outcome, double current, double target) {
    return RewardOf(options, outcome, current, target, true);
  };
  EXPECT_DOUBLE_EQ(worth(Outcome::kHit, 0.8, 0.8), 1);
  EXPECT_NEAR(worth(Outcome::kHit, 0.7, 0.8), 2, 1e-12);
  EXPECT_NEAR(worth(Outcome::kDropped, 0.7, 0.8), -2, 1e-12);
  EXPECT_NEAR(worth(Outcome::kHit, 0.9, 0.8), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(worth(Outcome::kMiss, 0, 1), -8);
  EXPECT_DOUBLE_EQ(RewardOf(options, Outcome::kHit, 0, 1, false), 0.125);
  EXPECT_DOUBLE_EQ(RewardOf({}, Outcome::kRejected, 0, 1, true), -1);
}

}  // namespace
}  // namespace fairlead
