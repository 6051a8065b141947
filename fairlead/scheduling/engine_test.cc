#include "fairlead/scheduling/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/scheduling/system_view.h"
#include "fairlead/scheduling/testing/engine_world.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

TEST_F(EngineTest, RunsAJobSegmentBySegment) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(Start(job, kFirst).has_value());
  engine.Advance(AtNanoseconds(10));
  engine.Apply(SegmentFinish{backend_.started[0].id});
  ASSERT_TRUE(Start(job, kSecond).has_value());
  engine.Advance(AtNanoseconds(20));
  engine.Apply(SegmentFinish{backend_.started[1].id});
  EXPECT_THAT(ends_.outcomes, ElementsAre(Outcome::kHit));
  EXPECT_TRUE(engine.Drained());
}

TEST_F(EngineTest, TellsEventsInOrder) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kFork);
  ASSERT_TRUE(Start(job, kFirst).has_value());
  engine.Apply(SegmentFinish{backend_.started[0].id});
  engine.Apply(Cancellation{{job, 1}});
  EXPECT_THAT(seen_, ElementsAre(EventKind::kJobArrived, EventKind::kSegmentStarted,
                                 EventKind::kSegmentFinished, EventKind::kJobCancelled,
                                 EventKind::kJobFinished));
}

TEST_F(EngineTest, ShowsNewlyReadySegmentsOnce) {
  Make();
  Arrive(kChain);
  std::vector<std::size_t> shown;
  const auto count = [&](const SystemView& view, SchedulingPlan&) {
    shown.push_back(view.newly_ready().size());
  };
  ASSERT_TRUE(Decide(count).has_value());
  Arrive(kFork);
  ASSERT_TRUE(Decide(count).has_value());
  EXPECT_THAT(shown, ElementsAre(1U, 1U));
}

// What a policy that keeps a queue is shown at a decision.
Scripted::Script ShowTo(std::vector<std::uint64_t>& serials) {
  return [&serials](const SystemView& view, SchedulingPlan&) {
    VisitNewlyReady(view,
                    [&](const ReadySegment&, const Job& job) { serials.push_back(job.serial); });
  };
}

TEST_F(EngineTest, ShowsTheNextTenantOfASlotOnce) {
  SchedulingEngine& engine = Make();
  const JobId cancelled = Arrive(kChain);
  engine.Apply(Cancellation{{cancelled, 1}});
  ASSERT_EQ(Arrive(kChain), cancelled);  // the slot
  std::vector<std::uint64_t> shown;
  ASSERT_TRUE(Decide(ShowTo(shown)).has_value());
  EXPECT_THAT(shown, ElementsAre(2U));
}

TEST_F(EngineTest, ShowsANewPolicyOnceWhatAnOldPlanLeft) {
  SchedulingEngine& engine = Make();
  engine.set_policy_factory([&](std::string_view) { return MakeScripted(); });
  const JobId job = Arrive(kChain);
  script_ = [&](const SystemView&, SchedulingPlan& plan) { plan.Start(kNpu, job, kFirst); };
  engine.Decide();
  engine.Advance(AtNanoseconds(5));
  engine.Apply(AcceleratorLoss{kNpu});
  engine.Apply(PolicyChange{"another"});
  ASSERT_TRUE(engine.Commit().has_value());
  ASSERT_EQ(engine.counters().stale_entries, 1U);
  std::vector<std::uint64_t> shown;
  ASSERT_TRUE(Decide(ShowTo(shown)).has_value());
  EXPECT_THAT(shown, ElementsAre(1U));
}

TEST_F(EngineTest, AHitIsAFinishAtTheDeadline) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain, 20);
  for (SegmentId segment : {kFirst, kSecond}) {
    ASSERT_TRUE(Start(job, segment).has_value());
    engine.Advance(engine.state().now + Duration{10});
    engine.Apply(SegmentFinish{backend_.started.back().id});
  }
  EXPECT_THAT(ends_.outcomes, ElementsAre(Outcome::kHit));
}

TEST_F(EngineTest, RunsABatchOfSeveralJobs) {
  SchedulingEngine& engine = Make();
  const JobId jobs[] = {Arrive(kChain), Arrive(kChain)};
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.StartBatch(kNpu, jobs, kFirst);
              }).has_value());
  engine.Apply(SegmentFinish{backend_.started[0].id});
  EXPECT_EQ(backend_.started[0].believed_latency, Duration{15});
  EXPECT_TRUE(engine.view().IsReady(jobs[0], kSecond) && engine.view().IsReady(jobs[1], kSecond));
}

TEST_F(EngineTest, TellsTheBackendWhichJobsRunAndWhichHaveEnded) {
  SchedulingEngine& engine = Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                const JobId jobs[] = {b, a};
                plan.StartBatch(kNpu, jobs, kFirst);
                plan.Drop(b, Reason::kHopeless);
              }).has_value());
  EXPECT_THAT(backend_.started[0].serials, ElementsAre(2, 1));
  EXPECT_THAT(backend_.forgotten, ElementsAre(2));  // although it still runs
  engine.Apply(SegmentFinish{backend_.started[0].id});
  const JobId c = Arrive(kChain);
  EXPECT_EQ(c, b);  // the slot
  ASSERT_TRUE(Start(c, kFirst).has_value());
  EXPECT_THAT(backend_.started[1].serials, ElementsAre(3));
}

TEST_F(EngineTest, SharesTheUnitsOfAnAccelerator) {
  SchedulingEngine& engine = Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kCpu, a, kFirst, {.units = 2});
                plan.Start(kCpu, b, kFirst, {.units = 1});
              }).has_value());
  EXPECT_EQ(engine.state().accelerators[kCpu.index()].free_units, 1);
}

TEST_F(EngineTest, ResizesWhatRuns) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kCpu, job, kFirst, {.units = 1});  // 80 long
              }).has_value());
  engine.Advance(AtNanoseconds(40));
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Resize(backend_.started[0].id, 4);  // half is left: 10 of 20
              }).has_value());
  EXPECT_EQ(engine.state().accelerators[kCpu.index()].believed_free, AtNanoseconds(50));
  engine.Advance(AtNanoseconds(45));
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Resize(backend_.started[0].id, 2);  // a quarter is left: 10 of 40
              }).has_value());
  EXPECT_EQ(engine.state().accelerators[kCpu.index()].believed_free, AtNanoseconds(55));
}

TEST_F(EngineTest, RunsWhatIsEnqueuedWhenItsTurnComes) {
  SchedulingEngine& engine = Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  ASSERT_TRUE(StartAndEnqueue(a, b).has_value());
  EXPECT_EQ(backend_.started.size(), 1U);
  engine.Advance(AtNanoseconds(10));
  engine.Apply(SegmentFinish{backend_.started[0].id});
  ASSERT_EQ(backend_.started.size(), 2U);
  EXPECT_THAT(backend_.started[1].jobs, ElementsAre(b));
}

TEST_F(EngineTest, ADroppedJobLeavesTheQueueOfItsAccelerator) {
  SchedulingEngine& engine = Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, a, kFirst);
                plan.Enqueue(kNpu, b, kFirst);
                plan.Reject(b, Reason::kOverload);
              }).has_value());
  engine.Apply(SegmentFinish{backend_.started[0].id});
  EXPECT_EQ(backend_.started.size(), 1U);
}

TEST_F(EngineTest, ADroppedJobLeavesTheBatchThatItWaitsIn) {
  SchedulingEngine& engine = Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  const JobId c = Arrive(kChain);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, a, kFirst);
                plan.EnqueueBatch(kNpu, std::vector{b, c}, kFirst);
              }).has_value());
  EXPECT_EQ(engine.state().accelerators[kNpu.index()].believed_free, AtNanoseconds(25));
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Reject(b, Reason::kOverload);
              }).has_value());
  EXPECT_EQ(engine.state().accelerators[kNpu.index()].believed_free, AtNanoseconds(20));
  engine.Apply(SegmentFinish{backend_.started[0].id});
  ASSERT_EQ(backend_.started.size(), 2U);
  EXPECT_THAT(backend_.started[1].jobs, ElementsAre(c));
}

TEST_F(EngineTest, WhatRunsOfADroppedJobFinishes) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(Start(job, kFirst).has_value());
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Drop(job, Reason::kHopeless);
              }).has_value());
  EXPECT_EQ(engine.state().accelerators[kNpu.index()].free_units, 0);
  engine.Apply(SegmentFinish{backend_.started[0].id});
  EXPECT_EQ(engine.state().accelerators[kNpu.index()].free_units, 1);
  EXPECT_THAT(ends_.outcomes, ElementsAre(Outcome::kDropped));
}

TEST_F(EngineTest, AFailedSegmentIsReadyAgain) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(Start(job, kFirst).has_value());
  engine.Apply(SegmentFailure{backend_.started[0].id});
  EXPECT_TRUE(engine.view().IsReady(job, kFirst));
}

TEST_F(EngineTest, GivesUpAJobThatFailsTooOften) {
  SchedulingEngine& engine = Make({.failure_limit = 1});
  const JobId job = Arrive(kChain);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Start(job, kFirst).has_value());
    engine.Apply(SegmentFailure{backend_.started.back().id});
  }
  EXPECT_THAT(ends_.reasons, ElementsAre(Reason::kFailed));
}

TEST_F(EngineTest, ALostAcceleratorGivesItsWorkBack) {
  SchedulingEngine& engine = Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  ASSERT_TRUE(StartAndEnqueue(a, b).has_value());
  engine.Apply(AcceleratorLoss{kNpu});
  EXPECT_EQ(backend_.aborted.size(), 1U);
  EXPECT_TRUE(engine.view().IsReady(a, kFirst) && engine.view().IsReady(b, kFirst));
}

TEST_F(EngineTest, WhatIsAwayDoesNotCount) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(Start(job, kFirst).has_value());
  engine.Advance(AtNanoseconds(10));
  engine.Apply(SegmentFinish{backend_.started[0].id});
  const std::uint64_t before = engine.view().costs_version();
  EXPECT_EQ(engine.view().job(job).work_left, Duration{10});  // on the npu
  engine.Apply(AcceleratorLoss{kNpu});
  EXPECT_EQ(engine.view().job(job).work_left, Duration{20});  // on the cpu, with all units
  EXPECT_EQ(engine.view().costs().ShortestTail(kChain, kFirst), Duration{40});
  EXPECT_GT(engine.view().costs_version(), before);
  engine.Apply(AcceleratorReturn{kNpu});
  EXPECT_EQ(engine.view().job(job).work_left, Duration{10});
  EXPECT_EQ(engine.view().costs().ShortestTail(kChain, kFirst), Duration{20});
}

TEST_F(EngineTest, WithoutAnyAcceleratorAllKindsCount) {
  SchedulingEngine& engine = Make();
  engine.Apply(AcceleratorLoss{kCpu});
  engine.Apply(AcceleratorLoss{kNpu});
  EXPECT_EQ(engine.view().costs().ShortestTail(kChain, kFirst), Duration{20});
}

TEST_F(EngineTest, IgnoresReportsAboutAnEarlierTenantOfASlot) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  const auto start = [&](const SystemView&, SchedulingPlan& plan) {
    plan.Start(kNpu, job, kFirst);
  };
  ASSERT_TRUE(Decide(start).has_value());
  engine.Apply(SegmentFailure{backend_.started[0].id});
  ASSERT_TRUE(Decide(start).has_value());
  ASSERT_EQ(backend_.started[0].id.slot, backend_.started[1].id.slot);
  engine.Apply(SegmentFinish{backend_.started[0].id});  // late news
  EXPECT_EQ(engine.state().accelerators[kNpu.index()].free_units, 0);
}

TEST_F(EngineTest, WakesWhenAskedTo) {
  SchedulingEngine& engine = Make();
  ASSERT_TRUE(Decide([](const SystemView&, SchedulingPlan& plan) {
                plan.Wake(AtNanoseconds(70));
              }).has_value());
  EXPECT_FALSE(engine.DecisionDue());
  EXPECT_EQ(engine.NextTimer(), AtNanoseconds(70));
  engine.Advance(AtNanoseconds(70));
  EXPECT_TRUE(engine.DecisionDue());
}

TEST_F(EngineTest, DecidesAtMultiplesOfThePeriod) {
  SchedulingEngine& engine = Make({.period = Duration{100}});
  engine.Advance(AtNanoseconds(30));
  Arrive(kChain);
  EXPECT_FALSE(engine.DecisionDue());
  EXPECT_EQ(engine.NextTimer(), AtNanoseconds(100));
}

TEST_F(EngineTest, LateJobsAreGivenUpOnlyIfAsked) {
  SchedulingEngine& engine = Make({.late = LateJobs::kDrop});
  Arrive(kChain, 5);
  engine.Advance(AtNanoseconds(5));
  ASSERT_TRUE(Decide({}).has_value());
  EXPECT_TRUE(ends_.reasons.empty());  // it could still finish now
  engine.Advance(AtNanoseconds(6));
  ASSERT_TRUE(Decide({}).has_value());
  EXPECT_THAT(ends_.reasons, ElementsAre(Reason::kLate));
}

TEST_F(EngineTest, WarmUpIsNotMeasured) {
  SchedulingEngine& engine = Make({.measured_from = AtNanoseconds(1)});
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Reject(job, Reason::kOverload);
              }).has_value());
  EXPECT_EQ(engine.state().ledger.MeasuredTotal().ended(), 0);
}

TEST_F(EngineTest, TenantsComeAndGo) {
  SchedulingEngine& engine = Make();
  engine.Apply(TenantJoin{{.name = "u"}});
  engine.Apply(AgreementStart{{.tenant = TenantId{std::size_t{1}}, .network = kChain}});
  EXPECT_TRUE(engine.state().ledger.IsOpen(AgreementId{std::size_t{2}}));
  engine.Apply(TenantLeave{TenantId{std::size_t{1}}});
  EXPECT_FALSE(engine.state().ledger.IsOpen(AgreementId{std::size_t{2}}));
}

}  // namespace
}  // namespace fairlead
