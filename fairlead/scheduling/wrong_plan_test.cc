// Wrong plans: the complaint names the reason and shows the plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/testing/engine_world.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using WrongPlanTest = EngineTest;

TEST_F(WrongPlanTest, RefusesASegmentThatIsNotReady) {
  Make();
  const JobId job = Arrive(kChain);
  EXPECT_THAT(
      Complaint([&](const SystemView&, SchedulingPlan& plan) { plan.Start(kNpu, job, kSecond); }),
      HasSubstr("segment 1 of request 0 is not ready"));
}

TEST_F(WrongPlanTest, ShowsTheWholeWrongPlan) {
  Make();
  const JobId job = Arrive(kChain);
  EXPECT_THAT(
      Complaint([&](const SystemView&, SchedulingPlan& plan) {
        plan.Start(kNpu, job, kFirst);
        plan.Start(kCpu, job, kFirst);
      }),
      HasSubstr("   start request 0 segment 0 on npu\n > start request 0 segment 0 on cpu"));
}

TEST_F(WrongPlanTest, RefusesMoreUnitsThanAreFree) {
  Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  EXPECT_THAT(Complaint([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kCpu, a, kFirst, {.units = 2});
                plan.Start(kCpu, b, kFirst, {.units = 4});
              }),
              HasSubstr("4 units, but 2 are free"));
}

TEST_F(WrongPlanTest, RefusesAnAcceleratorThatIsAway) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  engine.Apply(AcceleratorLoss{kNpu});
  EXPECT_THAT(
      Complaint([&](const SystemView&, SchedulingPlan& plan) { plan.Start(kNpu, job, kFirst); }),
      HasSubstr("the accelerator is away"));
}

TEST_F(WrongPlanTest, RefusesABatchThatHasNoCost) {
  Make();
  const JobId jobs[] = {Arrive(kChain), Arrive(kChain), Arrive(kChain)};
  EXPECT_THAT(Complaint([&](const SystemView&, SchedulingPlan& plan) {
                plan.StartBatch(kNpu, jobs, kFirst);
              }),
              HasSubstr("cannot run there so"));
}

TEST_F(WrongPlanTest, RefusesABatchOfDifferentNetworks) {
  Make();
  const JobId jobs[] = {Arrive(kChain), Arrive(kFork)};
  EXPECT_THAT(Complaint([&](const SystemView&, SchedulingPlan& plan) {
                plan.StartBatch(kNpu, jobs, kFirst);
              }),
              HasSubstr("a batch of different networks"));
}

TEST_F(WrongPlanTest, RefusesToDropWhatDidNotStart) {
  Make();
  const JobId job = Arrive(kChain);
  EXPECT_THAT(Complaint([&](const SystemView&, SchedulingPlan& plan) {
                plan.Drop(job, Reason::kHopeless);
              }),
              HasSubstr("reject it"));
}

TEST_F(WrongPlanTest, RefusesAWakeUpInThePast) {
  Make();
  EXPECT_THAT(
      Complaint([](const SystemView& view, SchedulingPlan& plan) { plan.Wake(view.now()); }),
      HasSubstr("wake-up is not in the future"));
}

TEST_F(WrongPlanTest, SkipsAndCountsWrongEntriesIfAsked) {
  SchedulingEngine& engine = Make({.wrong_plan = WrongPlan::kSkip});
  const JobId job = Arrive(kFork);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, job, kThird);
                plan.Start(kNpu, job, kFirst);
              }).has_value());
  EXPECT_EQ(engine.counters().plan_faults, 1U);
  EXPECT_EQ(backend_.started.size(), 1U);
}

TEST_F(WrongPlanTest, ARejectThatAStartHasOvertakenIsADrop) {
  SchedulingEngine& engine = Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  ASSERT_TRUE(StartAndEnqueue(a, b).has_value());
  script_ = [&](const SystemView&, SchedulingPlan& plan) { plan.Reject(b, Reason::kOverload); };
  engine.Decide();
  engine.Advance(AtNanoseconds(10));
  engine.Apply(SegmentFinish{backend_.started[0].id});  // b begins
  ASSERT_TRUE(engine.Commit().has_value());
  EXPECT_EQ(engine.counters().stale_entries, 0U);
  EXPECT_THAT(ends_.outcomes, ElementsAre(Outcome::kDropped));
}

TEST_F(WrongPlanTest, APlanForAJobThatIsGoneSparesTheNextTenantOfItsSlot) {
  for (const bool start : {false, true}) {
    SchedulingEngine& engine = Make();
    const JobId job = Arrive(kChain);
    script_ = [&](const SystemView&, SchedulingPlan& plan) {
      if (start) plan.Start(kNpu, job, kFirst);
      if (!start) plan.Reject(job, Reason::kOverload);
    };
    engine.Decide();
    engine.Advance(AtNanoseconds(5));
    engine.Apply(Cancellation{{job, 1}});
    ASSERT_EQ(Arrive(kChain), job);
    ASSERT_TRUE(engine.Commit().has_value());
    EXPECT_EQ(engine.counters().stale_entries, 1U);
    EXPECT_TRUE(engine.view().IsReady(job, 2, kFirst));
  }
}

TEST_F(WrongPlanTest, APlanThatWasOvertakenIsNoFault) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  script_ = [&](const SystemView&, SchedulingPlan& plan) { plan.Start(kNpu, job, kFirst); };
  engine.Decide();
  engine.Advance(AtNanoseconds(5));
  engine.Apply(AcceleratorLoss{kNpu});
  ASSERT_TRUE(engine.Commit().has_value());
  EXPECT_EQ(engine.counters().stale_entries, 1U);
  EXPECT_EQ(engine.view().newly_ready().size(), 1U);  // shown again
}

}  // namespace
}  // namespace fairlead
