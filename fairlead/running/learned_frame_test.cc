// What surrounds the network of a learned policy costs nothing: with the answers of a rule instead
// of a network's it does as well as the list policy of that rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "fairlead/learning/learned_policy.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/scenario/files.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

// The earliest deadline first: column 7 grows with the time that is left.
struct ByDeadline final : DecisionActor {
  void Act(const DecisionFeatures& features, std::span<float> actions) override {
    std::ranges::fill(actions, 0.0F);
    for (std::size_t row = 0; row < features.size(); ++row)
      actions[row * kActionsPerRow] = -0.25F * features.Row(row)[7];
  }
};

double HitRate(SeededWorld& seeded, std::unique_ptr<SchedulingPolicy> policy) {
  Simulator simulator(seeded.Setup(), std::move(policy));
  const Status status = simulator.Run();
  EXPECT_TRUE(status.has_value()) << status.error().message;
  return simulator.engine().state().ledger.MeasuredTotal().HitRateOr(0);
}

class LearnedFrame : public ::testing::TestWithParam<std::string> {};

TEST_P(LearnedFrame, AnswersByDeadlineAreAsGoodAsEarliestDeadlineFirst) {
  const std::string file = "scenarios/" + GetParam() + ".yaml";
  auto scenario = ParseScenario(file, ReadFile(file).value());
  ASSERT_TRUE(scenario.has_value());
  scenario->horizon = std::chrono::seconds{2};
  scenario->warm_up = std::chrono::milliseconds{200};
  const auto world = BuildWorld(std::move(*scenario), &ReadFile).value();
  SeededWorld first(*world, 101);
  SeededWorld second(*world, 101);
  const double listed = HitRate(first, first.Policy("edf-h:drop=early").value());
  const double framed =
      HitRate(second, MakeLearnedPolicy("framed", {}, std::make_unique<ByDeadline>()));
  EXPECT_NEAR(framed, listed, 0.01);
  EXPECT_GT(listed, 0.5);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, LearnedFrame, ::testing::Values("fairness", "firm-16gb"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace fairlead
