#include "fairlead/learning/torch/experience.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fairlead {
namespace {

constexpr double kStep = 0.75;

// Decisions a millisecond apart, the i-th of which earns i.
std::shared_ptr<const Trajectory> Counting(int decisions) {
  auto trajectory = std::make_shared<Trajectory>();
  for (int i = 0; i < decisions; ++i) {
    trajectory->decisions.push_back({.rows = 1,
                                     .reward = static_cast<float>(i),
                                     .discount = static_cast<float>(kStep),
                                     .elapsed = 1e-3F});
  }
  return trajectory;
}

TEST(ReplayBufferTest, ForgetsTheOldestTrajectories) {
  ReplayBuffer buffer(10, 0);
  buffer.Add(Counting(6));
  EXPECT_EQ(buffer.size(), 6);
  buffer.Add(Counting(6));
  EXPECT_EQ(buffer.size(), 6);
  buffer.Add(Counting(4));
  EXPECT_EQ(buffer.size(), 10);
}

TEST(ReplayBufferTest, DrawsEveryDecisionThatIsThere) {
  ReplayBuffer buffer(10, 0);
  buffer.Add(Counting(7));  // is forgotten
  const auto second = Counting(3);
  const auto third = Counting(6);
  buffer.Add(second);
  buffer.Add(third);
  RandomStream random(1, "test");
  std::vector<const ExperiencedDecision*> drawn;
  buffer.SampleDecisions(10'000, random, drawn);
  for (const auto& trajectory : {second, third}) {
    for (const ExperiencedDecision& decision : trajectory->decisions) {
      const auto times = std::ranges::count(drawn, &decision);
      EXPECT_NEAR(static_cast<double>(times), 10'000 / 9.0, 200);
    }
  }
}

TEST(ReplayBufferTest, AddsRewardsUpOverAStretchOfTime) {
  ReplayBuffer buffer(10, 1.5e-3);  // two decisions far
  const auto trajectory = Counting(3);
  buffer.Add(trajectory);
  RandomStream random(1, "test");
  std::vector<Transition> drawn;
  buffer.SampleTransitions(100, random, drawn);
  for (const Transition& transition : drawn) {
    const auto i = transition.decision - trajectory->decisions.data();
    const double second = i < 2 ? static_cast<double>(i + 1) * kStep : 0;
    EXPECT_NEAR(transition.reward, static_cast<double>(i) + second, 1e-5) << i;
    EXPECT_EQ(transition.next, i == 0 ? &trajectory->decisions[2] : nullptr) << i;
    if (i == 0) {
      EXPECT_NEAR(transition.discount, kStep * kStep, 1e-5);
    }
  }
}

}  // namespace
}  // namespace fairlead
