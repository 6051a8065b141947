#include "fairlead/recording/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/recording/testing/replay_by_hand.h"

namespace fairlead {
namespace {

using testing::HasSubstr;

ReplayPolicyFactory Script(std::deque<SchedulingPlan>& plans) {
  return [&plans](std::string_view, const Recording&) -> Result<std::unique_ptr<SchedulingPolicy>> {
    return std::make_unique<ScriptedPolicy>(plans);
  };
}

std::deque<SchedulingPlan> PlansOf(const Recording& recording) {
  std::deque<SchedulingPlan> plans;
  RecordingReader reader(recording);
  for (auto step = reader.Next(); (*step)->kind != RecordedStep::Kind::kEnd; step = reader.Next()) {
    if ((*step)->kind == RecordedStep::Kind::kDecision) plans.push_back((*step)->plan);
  }
  return plans;
}

TEST(Replay, ComesToTheSameDecisions) {
  const Recording recording = TwoTenants();
  std::deque<SchedulingPlan> plans = PlansOf(recording);
  const auto report = Replay(recording, Script(plans));
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical()) << ToText(*report);
  EXPECT_EQ(report->decisions, 4U);
  EXPECT_EQ(report->entries, 4U);
  EXPECT_EQ(report->inputs, 7U);
  EXPECT_EQ(report->end, AtNanoseconds(10'500));
  EXPECT_EQ(report->policy_now, "script");
}

TEST(Replay, ShowsTheFirstDifference) {
  std::deque<SchedulingPlan> plans(4);
  plans[0].Start(AcceleratorId{0}, JobId{0}, SegmentId{0});
  plans[1].Wake(AtNanoseconds(9999));
  const auto report = Replay(TwoTenants(), Script(plans));
  ASSERT_TRUE(report.has_value()) << report.error().message;
  ASSERT_FALSE(report->identical());
  EXPECT_EQ(report->difference->at, AtNanoseconds(4000));
  EXPECT_EQ(report->difference->decision, 2U);
  EXPECT_EQ(report->difference->recorded, "  start request 1 segment 0 on acc\n");
  EXPECT_EQ(report->difference->replayed, "  wake at 9999 ns\n");
  EXPECT_THAT(ToText(*report), HasSubstr("decision 2 at 4000 ns"));
}

TEST(Replay, NeedsAPolicy) {
  const auto report = Replay(
      TwoTenants(),
      [](std::string_view name, const Recording&) -> Result<std::unique_ptr<SchedulingPolicy>> {
        return Fail("no policy '{}'", name);
      });
  EXPECT_EQ(report.error().message, "f.rec:2: no policy 'script'");
}

TEST(Replay, LetsAnotherPolicyTakeOver) {
  RunByHand run(1);
  run.Now(0);
  const JobId job = run.Arrive(0, 0, 10'000);
  run.engine().Apply(PolicyChange{"another"});
  run.Start(job, 0);
  run.engine().Apply(GuardStrike{StrikeCause::kSlowDecision});
  run.engine().Apply(GuardFallback{"third"});
  run.engine().Apply(GuardReturn{"another"});
  const Recording recording = run.Recorded();
  std::vector<std::string> made;
  std::deque<SchedulingPlan> plans = PlansOf(recording);
  const auto report = Replay(
      recording,
      [&](std::string_view name, const Recording&) -> Result<std::unique_ptr<SchedulingPolicy>> {
        made.emplace_back(name);
        return std::make_unique<ScriptedPolicy>(plans);
      });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical());
  EXPECT_THAT(made, testing::ElementsAre("script", "another", "third", "another"));
}

// A wrong plan ends a run. The replay ends in the same way, and says so.
TEST(Replay, RepeatsAWrongPlan) {
  RunByHand run(1);
  run.Now(0);
  run.plans().emplace_back();
  run.plans().back().Start(AcceleratorId{7}, JobId{3}, SegmentId{0});
  std::deque<SchedulingPlan> plans = run.plans();
  run.engine().Decide();
  EXPECT_FALSE(run.engine().Commit().has_value());
  const auto report = Replay(run.Recorded(), Script(plans));
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical());
  EXPECT_THAT(report->stopped, HasSubstr("wrong plan"));
  EXPECT_THAT(ToText(*report), HasSubstr("ends with a wrong plan"));
}

}  // namespace
}  // namespace fairlead
