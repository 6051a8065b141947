#include "fairlead/running/training/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

using testing::HasSubstr;

// Four tenants, two of them with promises, on two kinds of accelerators: a tenth of a second of it
// takes no time.
constexpr const char* kScenario = R"(
name: small
horizon: 300ms
platform:
  bandwidth: 64GB/s
  accelerators:
    - {kind: simba, count: 1}
    - {kind: eyeriss, count: 1}
deadlines: {factor: 4}
load: 1.1
tenants:
  - {name: best, count: 2, networks: [alexnet, resnet50], networks_each: 1}
  - {name: sure, count: 2, networks: [alexnet, resnet50], networks_each: 1, target: 80%}
)";

std::vector<TrainingWorld> SmallWorlds() {
  auto scenario = ParseScenario("small.yaml", kScenario);
  EXPECT_TRUE(scenario.has_value()) << scenario.error().message;
  auto world = BuildWorld(std::move(*scenario), &ReadFile);
  EXPECT_TRUE(world.has_value()) << world.error().message;
  std::vector<TrainingWorld> worlds;
  worlds.push_back({.name = "small", .world = std::move(*world)});
  return worlds;
}

TrainingPlan SmallPlan(const std::string& name) {
  TrainingPlan plan{.out = testing::TempDir() + name,
                    .hidden = 16,
                    .judged_by = RewardKind::kIndicators,
                    .imitation_rounds = 3,
                    .ddpg_rounds = 2,
                    .runs_per_round = 2,
                    .decisions_per_run = 100,
                    .steps_per_round = 4,
                    .rounds_per_evaluation = 2,
                    .seeds_per_evaluation = 1};
  plan.learner.gpu = false;
  plan.learner.imitation.batch = plan.learner.ddpg.batch = 16;
  plan.learner.ddpg.critic_first = 2;
  plan.rollouts.frame.encoder.awareness = Awareness::kIndicators;
  plan.rollouts.reward.kind = RewardKind::kIndicators;
  plan.rollouts.teacher = "fairlead";
  for (const char* end : {"", ".checkpoint", ".csv", ".html"})
    std::filesystem::remove(plan.out + end);
  return plan;
}

std::string Contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(TrainerTest, WritesWeightsThatCanBeLoadedAndCurves) {
  const auto worlds = SmallWorlds();
  const TrainingPlan plan = SmallPlan("trainer_test.weights");
  const auto result = Train(worlds, plan);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  const auto network = ParseGru(Contents(plan.out), DecisionEncoder::Name(Awareness::kIndicators),
                                DecisionEncoder::Version(Awareness::kIndicators));
  ASSERT_TRUE(network.has_value()) << network.error().message;
  EXPECT_EQ(network->hidden, 16);
  const auto curve = ParseCurve("curve", Contents(plan.out + ".csv"));
  ASSERT_TRUE(curve.has_value()) << curve.error().message;
  EXPECT_EQ(curve->points.front().phase, "start");
  EXPECT_EQ(curve->points.back().phase, "ddpg");
  EXPECT_EQ(curve->points.back().round, 5);
  EXPECT_THAT(Contents(plan.out + ".html"), HasSubstr("<svg"));
}

TEST(TrainerTest, DependsOnItsPlanAndNotOnThreads) {
  const auto worlds = SmallWorlds();
  TrainingPlan one = SmallPlan("trainer_test.one");
  TrainingPlan many = SmallPlan("trainer_test.many");
  many.rollouts.threads = 3;
  ASSERT_TRUE(Train(worlds, one).has_value());
  ASSERT_TRUE(Train(worlds, many).has_value());
  EXPECT_EQ(Contents(one.out), Contents(many.out));
}

TEST(TrainerTest, GoesOnWhereItWasKilled) {
  const auto worlds = SmallWorlds();
  TrainingPlan plan = SmallPlan("trainer_test.killed");
  plan.imitation_rounds = 2;
  plan.ddpg_rounds = 0;
  ASSERT_TRUE(Train(worlds, plan).has_value());
  // A kill leaves at most a half-written file beside what is whole.
  std::ofstream(plan.out + ".checkpoint.new") << "half";
  plan.imitation_rounds = 4;
  std::string told;
  plan.tell = [&](std::string_view line) { told += line; };
  const auto resumed = Train(worlds, plan);
  ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
  EXPECT_THAT(told, HasSubstr("goes on after round 2"));
  std::vector<int> rounds;
  for (const CurvePoint& point : resumed->curve.points) rounds.push_back(point.round);
  EXPECT_THAT(rounds, testing::ElementsAre(0, 2, 4));
}

// A run in which the teacher acts through encoder and decoder is the list policy's, but for the
// places.
TEST(RolloutTest, TeacherActsThroughTheDecoder) {
  const auto worlds = SmallWorlds();
  RolloutOptions options{.teacher = "edf"};
  const auto figures = Evaluate(worlds, options, nullptr, {.acts = WhoActs::kTeacher});
  ASSERT_TRUE(figures.has_value()) << figures.error().message;
  EXPECT_GT(figures->front().hit_rate, 0.3);
}

TEST(RolloutTest, KeepsWhatWasSeenDoneAndEarned) {
  const auto worlds = SmallWorlds();
  RolloutOptions options{.teacher = "dysta"};
  const auto runs = Collect(worlds, options, nullptr,
                            {.acts = WhoActs::kTeacher, .runs = 3, .decisions_per_run = 50});
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  ASSERT_EQ(runs->size(), 3);
  double earned = 0;
  for (const auto& run : *runs) {
    EXPECT_EQ(run->decisions.size(), 49);
    for (const ExperiencedDecision& decision : run->decisions) {
      EXPECT_EQ(decision.features.size(), decision.rows * (kSystemFeatures + kSegmentFeatures));
      EXPECT_EQ(decision.actions.size(), decision.rows * kActionsPerRow);
      EXPECT_EQ(decision.teacher.size(), decision.rows);
      EXPECT_GT(decision.discount, 0.5F);
      earned += std::abs(static_cast<double>(decision.reward));
    }
  }
  EXPECT_GT(earned, 0);
}

// What "need" gives for rows is its order, and stands where tanh still tells numbers apart.
TEST(RolloutTest, NeedGivesValuesInItsOrder) {
  const auto worlds = SmallWorlds();
  RolloutOptions options{.teacher = "need"};
  options.frame.encoder.awareness = Awareness::kIndicators;
  const auto runs = Collect(worlds, options, nullptr,
                            {.acts = WhoActs::kTeacher, .runs = 2, .decisions_per_run = 50});
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  for (const auto& run : *runs) {
    for (const ExperiencedDecision& decision : run->decisions) {
      ASSERT_EQ(decision.values.size(), decision.rows);
      for (std::size_t place = 1; place < decision.rows; ++place)
        EXPECT_GE(decision.values[decision.teacher[place - 1]],
                  decision.values[decision.teacher[place]]);
      for (const float value : decision.values) EXPECT_LE(std::abs(value), 3.0F);
    }
  }
}

TEST(TeacherTest, AnUnknownOneIsAnError) {
  const auto teacher = MakeTeacher("nobody");
  ASSERT_FALSE(teacher.has_value());
  EXPECT_THAT(teacher.error().message, HasSubstr("edf-share"));
}

}  // namespace
}  // namespace fairlead
