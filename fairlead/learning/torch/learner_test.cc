#include "fairlead/learning/torch/learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

constexpr ActorShape kSmall{.features = 2, .outputs = 3, .hidden = 16};

LearnerOptions OnTheProcessor() { return {.seed = 5, .gpu = false}; }

// Rows have two features, drawn; the teacher puts them in the order of the first.
ExperiencedDecision Taught(RandomStream& random) {
  ExperiencedDecision decision{.rows = 3, .teacher = {0, 1, 2}};
  for (int i = 0; i < 6; ++i)
    decision.features.push_back(static_cast<float>(2 * random.Uniform() - 1));
  std::ranges::sort(decision.teacher, std::greater<>{},
                    [&](std::uint16_t row) { return decision.features[2 * row]; });
  return decision;
}

TEST(ImitationTest, LearnsTheOrderOfATeacher) {
  const auto learner = MakeActorLearner(kSmall, OnTheProcessor(), 1);
  RandomStream random(3, "test");
  constexpr int kSteps = 400;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<ExperiencedDecision> decisions;
    for (int i = 0; i < 64; ++i) decisions.push_back(Taught(random));
    std::vector<const ExperiencedDecision*> batch;
    for (const ExperiencedDecision& decision : decisions) batch.push_back(&decision);
    learner->Imitate(batch, static_cast<double>(step) / kSteps);
  }
  int right = 0;
  for (int i = 0; i < 500; ++i) {
    const ExperiencedDecision decision = Taught(random);
    const std::vector<float> said = learner->Act(decision.features);
    std::size_t first = 0;
    for (std::size_t row = 1; row < 3; ++row)
      if (said[3 * row] > said[3 * first]) first = row;
    right += first == decision.teacher[0] ? 1 : 0;
  }
  EXPECT_GT(right, 400);  // by chance 167
}

// Where it says what each row is worth, priorities become that, and not only their order.
TEST(ImitationTest, LearnsWhatATeacherGivesForRows) {
  const auto learner = MakeActorLearner(kSmall, OnTheProcessor(), 1);
  RandomStream random(3, "test");
  const auto valued = [&] {
    ExperiencedDecision decision = Taught(random);
    for (std::size_t row = 0; row < 3; ++row)
      decision.values.push_back(0.8F * decision.features[2 * row] - 0.3F);
    return decision;
  };
  constexpr int kSteps = 400;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<ExperiencedDecision> decisions;
    for (int i = 0; i < 64; ++i) decisions.push_back(valued());
    std::vector<const ExperiencedDecision*> batch;
    for (const ExperiencedDecision& decision : decisions) batch.push_back(&decision);
    learner->Imitate(batch, static_cast<double>(step) / kSteps);
  }
  double away = 0;
  for (int i = 0; i < 100; ++i) {
    const ExperiencedDecision decision = valued();
    const std::vector<float> said = learner->Act(decision.features);
    for (std::size_t row = 0; row < 3; ++row)
      away += std::abs(std::tanh(static_cast<double>(decision.values[row])) -
                       static_cast<double>(said[3 * row]));
  }
  EXPECT_LT(away / 300, 0.1);  // 0.38 if all priorities were the mean one
}

// A bandit: what a decision earns depends on its one feature and its action alone.
double Earned(double feature, double action) {
  const double best = feature > 0 ? 0.6 : -0.4;
  return 1 - (action - best) * (action - best);
}

TEST(DdpgTest, FindsTheBestActionOfABandit_slow) {
  constexpr ActorShape kShape{.features = 1, .outputs = 1, .hidden = 16};
  LearnerOptions options = OnTheProcessor();
  options.ddpg = {.actor_learning_rate = 1e-3,
                  .critic_learning_rate = 3e-3,
                  .batch = 64,
                  .polyak = 0.02,
                  .reward_scale = 1,
                  .critic_first = 100};
  const auto learner = MakeActorLearner(kShape, options, 1);
  RandomStream random(3, "test");
  for (int step = 0; step < 1500; ++step) {
    std::vector<ExperiencedDecision> decisions(64);
    std::vector<Transition> transitions;
    for (ExperiencedDecision& decision : decisions) {
      const double feature = random.Uniform() < 0.5 ? -1 : 1;
      const double action = 2 * random.Uniform() - 1;
      decision.rows = 1;
      decision.features = {static_cast<float>(feature)};
      decision.actions = {static_cast<float>(action)};
      transitions.push_back(
          {.decision = &decision, .reward = static_cast<float>(Earned(feature, action))});
    }
    learner->Improve(transitions);
  }
  EXPECT_NEAR(learner->Act(std::vector<float>{1})[0], 0.6, 0.15);
  EXPECT_NEAR(learner->Act(std::vector<float>{-1})[0], -0.4, 0.15);
}

TEST(LearnerTest, GoesOnFromACheckpointAsIfNothingHadHappened) {
  const auto train = [](ActorLearner& learner, int from, int to) {
    for (int step = from; step < to; ++step) {
      RandomStream random(static_cast<std::uint64_t>(step), "test");
      const ExperiencedDecision decision = Taught(random);
      const ExperiencedDecision* batch[] = {&decision};
      learner.Imitate(batch, 0.5);
      ExperiencedDecision acted = decision;
      acted.actions.assign(9, 0.25F);
      const Transition transition{
          .decision = &acted, .next = &acted, .reward = 1, .discount = 0.9F};
      learner.Improve({&transition, 1});
    }
  };
  LearnerOptions options = OnTheProcessor();
  options.ddpg.critic_first = 3;
  const auto whole = MakeActorLearner(kSmall, options, 1);
  train(*whole, 0, 10);

  const std::string file = testing::TempDir() + "learner_test.checkpoint";
  const auto before = MakeActorLearner(kSmall, options, 1);
  train(*before, 0, 5);
  ASSERT_TRUE(before->Save(file, "so far").has_value());
  const auto after = MakeActorLearner(kSmall, options, 1);
  const auto notes = after->Load(file);
  ASSERT_TRUE(notes.has_value()) << notes.error().message;
  EXPECT_EQ(*notes, "so far");
  train(*after, 5, 10);
  EXPECT_EQ(after->Weights().hidden_weights, whole->Weights().hidden_weights);
  EXPECT_EQ(after->Weights().head_weights, whole->Weights().head_weights);
}

TEST(LearnerTest, RefusesWhatIsNoCheckpoint) {
  const std::string file = testing::TempDir() + "learner_test.broken";
  std::ofstream(file) << "not a checkpoint";
  const auto learner = MakeActorLearner(kSmall, OnTheProcessor(), 1);
  EXPECT_FALSE(learner->Load(file).has_value());
  EXPECT_FALSE(learner->Load(file + ".absent").has_value());
}

// What is exported says the same in plain C++.
TEST(LearnerTest, PlainNetworkEqualsLibtorch) {
  constexpr ActorShape kShape{.features = 41, .outputs = 5};
  LearnerOptions options = OnTheProcessor();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    options.seed = seed;
    const auto learner = MakeActorLearner(kShape, options, 1);
    GruRunner plain(learner->Weights());
    RandomStream random(seed, "test");
    for (const std::size_t rows : {1, 7, 64}) {
      std::vector<float> system(15);
      for (float& x : system) x = static_cast<float>(6 * random.Uniform() - 3);
      std::vector<float> own(rows * 26);
      for (float& x : own) x = static_cast<float>(6 * random.Uniform() - 3);
      std::vector<float> all;
      for (std::size_t row = 0; row < rows; ++row) {
        all.insert(all.end(), system.begin(), system.end());
        all.insert(all.end(), own.begin() + static_cast<std::ptrdiff_t>(row * 26),
                   own.begin() + static_cast<std::ptrdiff_t>((row + 1) * 26));
      }
      std::vector<float> said(rows * 5);
      plain.Run(system, own, rows, said);
      EXPECT_THAT(said, testing::Pointwise(testing::FloatNear(1e-5F), learner->Act(all)));
    }
  }
}

TEST(LearnerTest, TakesWeightsAsItGivesThem) {
  LearnerOptions options = OnTheProcessor();
  const auto one = MakeActorLearner(kSmall, options, 1);
  options.seed = 6;
  const auto other = MakeActorLearner(kSmall, options, 1);
  const std::vector<float> features{0.1F, -0.2F, 0.3F, 0.4F};
  EXPECT_NE(one->Act(features), other->Act(features));
  other->SetWeights(one->Weights());
  EXPECT_EQ(one->Act(features), other->Act(features));
}

}  // namespace
}  // namespace fairlead
