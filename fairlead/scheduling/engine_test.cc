#include "fairlead/scheduling/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr NetworkId kChain{std::size_t{0}};
constexpr NetworkId kFork{std::size_t{1}};
constexpr AcceleratorId kNpu{std::size_t{0}};
constexpr AcceleratorId kCpu{std::size_t{1}};  // four units
constexpr SegmentId kFirst{std::size_t{0}};
constexpr SegmentId kSecond{std::size_t{1}};
constexpr SegmentId kThird{std::size_t{2}};

// A policy that does what the test says.
class Scripted final : public SchedulingPolicy {
 public:
  using Script = std::function<void(const SystemView&, SchedulingPlan&)>;
  explicit Scripted(Script& script, std::vector<EventKind>& seen) : script_(script), seen_(seen) {}
  std::string_view Name() const override { return "scripted"; }
  void Observe(const SystemView&, const Event& event) override { seen_.push_back(event.kind); }
  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (script_) script_(view, plan);
  }

 private:
  Script& script_;
  std::vector<EventKind>& seen_;
};

struct NullBackend final : ExecutionBackend {
  std::vector<Assignment> started;
  std::vector<Assignment> resized;
  std::vector<Assignment> aborted;
  void Start(const Assignment& assignment) override { started.push_back(assignment); }
  void Resize(const Assignment& assignment) override { resized.push_back(assignment); }
  void Abort(const Assignment& assignment) override { aborted.push_back(assignment); }
  void Forget(const JobHandle& job) override { forgotten.push_back(job.serial); }
  std::vector<std::uint64_t> forgotten;
};

struct Ends final : RunListener {
  std::vector<Outcome> outcomes;
  std::vector<Reason> reasons;
  void JobEnded(const Job&, Outcome outcome, Reason reason, Instant) override {
    outcomes.push_back(outcome);
    reasons.push_back(reason);
  }
  void SegmentEnded(const Assignment&, Instant) override {}
};

// Two networks, a chain of two segments and a fork of three, on an npu of one unit and a cpu of
// four, where segments also run on one or two units, and two at a time.
class EngineTest : public ::testing::Test {
 protected:
  EngineTest() {
    platform_.AddKind("npu", 1);
    platform_.AddKind("cpu", 1, 4);
    networks_.push_back(NetworkGraph::Chain("chain", 2));
    networks_.push_back(
        NetworkGraph::Create("fork", {{"root", {}}, {"left", {0}}, {"right", {0}}}).value());
    costs_ = std::make_unique<CostTable>(networks_, platform_);
    for (std::size_t n = 0; n < networks_.size(); ++n) {
      for (std::size_t s = 0; s < networks_[n].size(); ++s) {
        costs_->Set(NetworkId{n}, SegmentId{s}, KindId{std::size_t{0}}, {1, 1}, {Duration{10}});
        costs_->Set(NetworkId{n}, SegmentId{s}, KindId{std::size_t{0}}, {1, 2}, {Duration{15}});
        for (int units : {1, 2, 4}) {
          costs_->Set(NetworkId{n}, SegmentId{s}, KindId{std::size_t{1}}, {units, 1},
                      {Duration{80 / units}});
        }
      }
    }
    costs_->Seal(networks_);
  }

  SchedulingEngine& Make(EngineOptions options = {}) {
    EngineWorld world{.platform = &platform_,
                      .networks = networks_,
                      .beliefs = costs_.get(),
                      .tenants = {{.name = "t"}},
                      .agreements = {{.tenant = TenantId{std::size_t{0}}, .network = kChain},
                                     {.tenant = TenantId{std::size_t{0}}, .network = kFork}}};
    engine_ = std::make_unique<SchedulingEngine>(
        std::move(world), options, std::make_unique<Scripted>(script_, seen_), backend_);
    engine_->set_listener(&ends_);
    return *engine_;
  }

  JobId Arrive(NetworkId network, std::int64_t deadline = 1000) {
    return engine_
        ->Apply(Arrival{{.number = next_request_++,
                         .agreement = AgreementId{network.index()},
                         .arrival = engine_->state().now,
                         .deadline = Duration{deadline}}})
        .id;
  }
  Status Decide(Scripted::Script script) {
    script_ = std::move(script);
    engine_->Decide();
    return engine_->Commit();
  }
  // Decides by the script and returns the complaint about its plan.
  std::string Complaint(Scripted::Script script) {
    const Status status = Decide(std::move(script));
    return status.has_value() ? "" : status.error().message;
  }

  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::unique_ptr<CostTable> costs_;
  Scripted::Script script_;
  std::vector<EventKind> seen_;
  NullBackend backend_;
  Ends ends_;
  std::unique_ptr<SchedulingEngine> engine_;
  RequestNumber next_request_ = 0;
};

TEST_F(EngineTest, RunsAJobSegmentBySegment) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, job, kFirst);
              }).has_value());
  engine.Advance(AtNanoseconds(10));
  engine.Apply(SegmentFinish{backend_.started[0].id});
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, job, kSecond);
              }).has_value());
  engine.Advance(AtNanoseconds(20));
  engine.Apply(SegmentFinish{backend_.started[1].id});
  EXPECT_THAT(ends_.outcomes, ElementsAre(Outcome::kHit));
  EXPECT_TRUE(engine.Drained());
}

TEST_F(EngineTest, TellsEventsInOrder) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kFork);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, job, kFirst);
              }).has_value());
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

TEST_F(EngineTest, AHitIsAFinishAtTheDeadline) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain, 20);
  for (SegmentId segment : {kFirst, kSecond}) {
    ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                  plan.Start(kNpu, job, segment);
                }).has_value());
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
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, c, kFirst);
              }).has_value());
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
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, a, kFirst);
                plan.Enqueue(kNpu, b, kFirst);
              }).has_value());
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
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, job, kFirst);
              }).has_value());
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
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, job, kFirst);
              }).has_value());
  engine.Apply(SegmentFailure{backend_.started[0].id});
  EXPECT_TRUE(engine.view().IsReady(job, kFirst));
}

TEST_F(EngineTest, GivesUpAJobThatFailsTooOften) {
  SchedulingEngine& engine = Make({.failure_limit = 1});
  const JobId job = Arrive(kChain);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                  plan.Start(kNpu, job, kFirst);
                }).has_value());
    engine.Apply(SegmentFailure{backend_.started.back().id});
  }
  EXPECT_THAT(ends_.reasons, ElementsAre(Reason::kFailed));
}

TEST_F(EngineTest, ALostAcceleratorGivesItsWorkBack) {
  SchedulingEngine& engine = Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, a, kFirst);
                plan.Enqueue(kNpu, b, kFirst);
              }).has_value());
  engine.Apply(AcceleratorLoss{kNpu});
  EXPECT_EQ(backend_.aborted.size(), 1U);
  EXPECT_TRUE(engine.view().IsReady(a, kFirst) && engine.view().IsReady(b, kFirst));
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

// ---- Wrong plans: the complaint names the reason and shows the plan.

TEST_F(EngineTest, RefusesASegmentThatIsNotReady) {
  Make();
  const JobId job = Arrive(kChain);
  EXPECT_THAT(
      Complaint([&](const SystemView&, SchedulingPlan& plan) { plan.Start(kNpu, job, kSecond); }),
      HasSubstr("segment 1 of request 0 is not ready"));
}

TEST_F(EngineTest, ShowsTheWholeWrongPlan) {
  Make();
  const JobId job = Arrive(kChain);
  EXPECT_THAT(
      Complaint([&](const SystemView&, SchedulingPlan& plan) {
        plan.Start(kNpu, job, kFirst);
        plan.Start(kCpu, job, kFirst);
      }),
      HasSubstr("   start request 0 segment 0 on npu\n > start request 0 segment 0 on cpu"));
}

TEST_F(EngineTest, RefusesMoreUnitsThanAreFree) {
  Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  EXPECT_THAT(Complaint([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kCpu, a, kFirst, {.units = 2});
                plan.Start(kCpu, b, kFirst, {.units = 4});
              }),
              HasSubstr("4 units, but 2 are free"));
}

TEST_F(EngineTest, RefusesAnAcceleratorThatIsAway) {
  SchedulingEngine& engine = Make();
  const JobId job = Arrive(kChain);
  engine.Apply(AcceleratorLoss{kNpu});
  EXPECT_THAT(
      Complaint([&](const SystemView&, SchedulingPlan& plan) { plan.Start(kNpu, job, kFirst); }),
      HasSubstr("the accelerator is away"));
}

TEST_F(EngineTest, RefusesABatchThatHasNoCost) {
  Make();
  const JobId jobs[] = {Arrive(kChain), Arrive(kChain), Arrive(kChain)};
  EXPECT_THAT(Complaint([&](const SystemView&, SchedulingPlan& plan) {
                plan.StartBatch(kNpu, jobs, kFirst);
              }),
              HasSubstr("cannot run there so"));
}

TEST_F(EngineTest, RefusesABatchOfDifferentNetworks) {
  Make();
  const JobId jobs[] = {Arrive(kChain), Arrive(kFork)};
  EXPECT_THAT(Complaint([&](const SystemView&, SchedulingPlan& plan) {
                plan.StartBatch(kNpu, jobs, kFirst);
              }),
              HasSubstr("a batch of different networks"));
}

TEST_F(EngineTest, RefusesToDropWhatDidNotStart) {
  Make();
  const JobId job = Arrive(kChain);
  EXPECT_THAT(Complaint([&](const SystemView&, SchedulingPlan& plan) {
                plan.Drop(job, Reason::kHopeless);
              }),
              HasSubstr("reject it"));
}

TEST_F(EngineTest, RefusesAWakeUpInThePast) {
  Make();
  EXPECT_THAT(
      Complaint([](const SystemView& view, SchedulingPlan& plan) { plan.Wake(view.now()); }),
      HasSubstr("wake-up is not in the future"));
}

TEST_F(EngineTest, SkipsAndCountsWrongEntriesIfAsked) {
  SchedulingEngine& engine = Make({.wrong_plan = WrongPlan::kSkip});
  const JobId job = Arrive(kFork);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, job, kThird);
                plan.Start(kNpu, job, kFirst);
              }).has_value());
  EXPECT_EQ(engine.counters().plan_faults, 1U);
  EXPECT_EQ(backend_.started.size(), 1U);
}

TEST_F(EngineTest, ARejectThatAStartHasOvertakenIsADrop) {
  SchedulingEngine& engine = Make();
  const JobId a = Arrive(kChain);
  const JobId b = Arrive(kChain);
  ASSERT_TRUE(Decide([&](const SystemView&, SchedulingPlan& plan) {
                plan.Start(kNpu, a, kFirst);
                plan.Enqueue(kNpu, b, kFirst);
              }).has_value());
  script_ = [&](const SystemView&, SchedulingPlan& plan) { plan.Reject(b, Reason::kOverload); };
  engine.Decide();
  engine.Advance(AtNanoseconds(10));
  engine.Apply(SegmentFinish{backend_.started[0].id});  // b begins
  ASSERT_TRUE(engine.Commit().has_value());
  EXPECT_EQ(engine.counters().stale_entries, 0U);
  EXPECT_THAT(ends_.outcomes, ElementsAre(Outcome::kDropped));
}

TEST_F(EngineTest, APlanThatWasOvertakenIsNoFault) {
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
