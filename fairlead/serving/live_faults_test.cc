// What goes wrong in a live world, and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fairlead/execution/testing/manual_clock.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/live_world.h"
#include "fairlead/serving/testing/run_log.h"
#include "fairlead/serving/testing/sample_world.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Idler final : public SchedulingPolicy {
 public:
  std::string_view Name() const override { return "idler"; }
  void Decide(const SystemView& /*view*/, SchedulingPlan& /*plan*/) override {}
};

class LiveFaultsTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(live_.impossibilities, 0); }

  const SampleWorld world_;
  RunLog live_;
  EndListener listener_{live_};
};

TEST_F(LiveFaultsTest, AnAcceleratorLeavesAndReturns) {
  ManualClock clock;
  LiveSetup setup = world_.Live(clock, nullptr, &listener_);
  setup.door = FrontDoor::kOpen;
  LiveWorld live(std::move(setup), Fcfs(live_));
  live.Submit({.number = 7, .agreement = kChainLeft, .deadline = milliseconds(20)});
  std::thread outside([&] {
    live_.AwaitStarts(1);
    live.Post(AcceleratorLoss{kLeft});
    live.Submit({.number = 8, .agreement = kChainRight, .deadline = milliseconds(20)});
    live_.AwaitStarts(2);
    live.Post(AcceleratorReturn{kLeft});
    live_.AwaitStarts(3);
    live.Close();
    while (live_.ends().size() < 2) {
      clock.Advance(milliseconds(1));
      std::this_thread::sleep_for(microseconds(200));
    }
  });
  ASSERT_TRUE(live.Run().has_value());
  outside.join();
  EXPECT_THAT(live_.StartsOn(kLeft), ElementsAre(StartedSegment{0, 7, 0}, StartedSegment{0, 7, 0},
                                                 StartedSegment{0, 7, 1}, StartedSegment{0, 7, 2}));
  EXPECT_THAT(live_.StartsOn(kRight),
              ElementsAre(StartedSegment{1, 8, 0}, StartedSegment{1, 8, 1}));
  EXPECT_THAT(live_.ends(), SizeIs(2));
}

TEST_F(LiveFaultsTest, TheTimelineHappensInRealTime) {
  const RealClock clock;
  const AgreementId newcomer{world_.networks.size()};
  ListedRequests source(
      {{.number = 1, .agreement = kChainLeft},
       {.number = 2, .agreement = newcomer, .arrival = Instant{milliseconds(3)}}});
  LiveSetup setup = world_.Live(clock, &source, &listener_);
  setup.timeline = {
      {Instant{microseconds(500)}, AcceleratorLoss{kLeft}},
      {Instant{milliseconds(3)}, TenantJoin{{.name = "new"}}},
      {Instant{milliseconds(3)},
       AgreementStart{{.tenant = TenantId{1}, .network = NetworkId{kChainRight.value}}}},
      {Instant{milliseconds(8)}, AcceleratorReturn{kLeft}},
      {Instant{std::chrono::hours(1)}, TenantLeave{TenantId{1}}}};  // nobody waits for this
  LiveWorld live(std::move(setup), Fcfs(live_));
  ASSERT_TRUE(live.Run().has_value());
  ASSERT_THAT(live_.ends(), SizeIs(2));
  for (const EndedJob& end : live_.ends()) {
    EXPECT_GE(end.at, Instant{end.job.request == 1 ? milliseconds(8 + 4) : milliseconds(3 + 3)});
  }
}

TEST_F(LiveFaultsTest, AThrowingSegmentRunsAgain) {
  const RealClock clock;
  ListedRequests source(Simultaneous(4));
  std::atomic<int> calls = 0;
  LiveSetup setup = world_.Live(clock, &source, &listener_);
  setup.work = [&](SegmentRun& run) {
    if (++calls == 2) throw std::runtime_error("kernel panic");
    return SleepThrough(run);
  };
  LiveWorld live(std::move(setup), Edf(live_));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(live_.starts(), SizeIs(2 * 3 + 2 * 2 + 1));
  EXPECT_THAT(live_.ends(), SizeIs(4));
  EXPECT_EQ(live.engine().counters().segments_finished, 10);
}

TEST_F(LiveFaultsTest, WhatAlwaysFailsIsGivenUp) {
  const RealClock clock;
  ListedRequests source({{.agreement = kInstant}});
  LiveSetup setup = world_.Live(clock, &source, &listener_);
  setup.work = [](SegmentRun& /*run*/) -> WorkResult { throw std::runtime_error("no"); };
  setup.engine.failure_limit = 2;
  LiveWorld live(std::move(setup), Edf(live_));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(live_.starts(), SizeIs(3));
  ASSERT_THAT(live_.ends(), SizeIs(1));
  EXPECT_EQ(live_.ends()[0].outcome, Outcome::kDropped);
  EXPECT_EQ(live_.ends()[0].reason, Reason::kFailed);
}

// There is always a next epoch, but none will ever start anything.
TEST_F(LiveFaultsTest, JobsWithoutAnAcceleratorAreCancelledWithAPeriodToo) {
  const RealClock clock;
  ListedRequests source({{.agreement = kChainLeft}, {.agreement = kChainRight}});
  LiveSetup setup = world_.Live(clock, &source, &listener_);
  setup.engine.period = milliseconds(1);
  setup.timeline = {{Instant{}, AcceleratorLoss{kLeft}}, {Instant{}, AcceleratorLoss{kRight}}};
  LiveWorld live(std::move(setup), Fcfs(live_));
  ASSERT_TRUE(live.Run().has_value());
  ASSERT_THAT(live_.ends(), SizeIs(2));
  EXPECT_EQ(live_.ends()[0].reason, Reason::kCancelled);
}

TEST_F(LiveFaultsTest, JobsWithoutAnAcceleratorAreCancelled) {
  const RealClock clock;
  ListedRequests source({{.agreement = kChainLeft}, {.agreement = kChainRight}});
  LiveSetup setup = world_.Live(clock, &source, &listener_);
  setup.work = [](SegmentRun& run) {
    if (run.assignment().accelerator == kLeft) return WorkResult::kAcceleratorLost;
    return SleepThrough(run);
  };
  LiveWorld live(std::move(setup), Fcfs(live_));
  ASSERT_TRUE(live.Run().has_value());
  ASSERT_THAT(live_.ends(), SizeIs(2));
  EXPECT_EQ(live_.ends()[1].reason, Reason::kCancelled);
  EXPECT_EQ(live_.ends()[1].outcome, Outcome::kDropped);
}

TEST_F(LiveFaultsTest, APolicyThatLetsJobsWaitForNothingIsAnError) {
  const RealClock clock;
  ListedRequests source(Simultaneous(3));
  LiveWorld live(world_.Live(clock, &source, &listener_), std::make_unique<Idler>());
  const Status status = live.Run();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message,
            "policy idler left 3 jobs waiting although nothing keeps them from running");
  EXPECT_TRUE(live.engine().Drained());
}

TEST_F(LiveFaultsTest, AWrongEntryIsSkippedAndCounted) {
  class Confused final : public SchedulingPolicy {
   public:
    explicit Confused(std::unique_ptr<SchedulingPolicy> policy) : policy_(std::move(policy)) {}
    std::string_view Name() const override { return "confused"; }
    void Decide(const SystemView& view, SchedulingPlan& plan) override {
      plan.Start(AcceleratorId{99}, JobId{0}, SegmentId{0});
      policy_->Decide(view, plan);
    }

   private:
    std::unique_ptr<SchedulingPolicy> policy_;
  };
  const RealClock clock;
  ListedRequests skipping({{.agreement = kInstant}});
  LiveWorld live(world_.Live(clock, &skipping, &listener_),
                 std::make_unique<Confused>(Fcfs(live_)));
  EXPECT_TRUE(live.Run().has_value());
  EXPECT_GT(live.engine().counters().plan_faults, 0);

  ListedRequests stopping({{.agreement = kInstant}});
  LiveSetup setup = world_.Live(clock, &stopping, &listener_);
  setup.engine.wrong_plan = WrongPlan::kStop;
  LiveWorld strict(std::move(setup), std::make_unique<Confused>(Fcfs(live_)));
  EXPECT_FALSE(strict.Run().has_value());
  EXPECT_TRUE(strict.engine().Drained());
}

TEST_F(LiveFaultsTest, WhatRunsOfADroppedJobFinishes) {
  class Fickle final : public SchedulingPolicy {
   public:
    std::string_view Name() const override { return "fickle"; }
    void Decide(const SystemView& view, SchedulingPlan& plan) override {
      if (++decisions_ == 1) {
        plan.Start(kRight, view.ready().front().job, SegmentId{0});
        plan.Wake(view.now() + Duration{1});
      } else if (decisions_ == 2) {
        plan.Drop(JobId{0}, Reason::kOverload);
      }
    }

   private:
    int decisions_ = 0;
  };
  const RealClock clock;
  ListedRequests source({{.agreement = kChainRight}});
  LiveWorld live(world_.Live(clock, &source, &listener_), std::make_unique<Fickle>());
  ASSERT_TRUE(live.Run().has_value());
  ASSERT_THAT(live_.ends(), SizeIs(1));
  EXPECT_EQ(live_.ends()[0].outcome, Outcome::kDropped);
  EXPECT_EQ(live.engine().counters().segments_finished, 1);
  EXPECT_GE(live.totals().busy[kRight.index()], 2e6);
}

TEST_F(LiveFaultsTest, StopEndsTheRunAndCancelsWhatIsLeft) {
  const ManualClock clock;  // stands still: nothing ever finishes
  std::vector<Request> requests = Simultaneous(6);
  requests.push_back({.agreement = kInstant, .arrival = Instant{std::chrono::hours(1)}});
  ListedRequests source(requests);
  LiveWorld live(world_.Live(clock, &source, &listener_), Fcfs(live_));
  std::thread stopper([&] {
    live_.AwaitStarts(2);
    live.Stop();
  });
  ASSERT_TRUE(live.Run().has_value());
  stopper.join();
  std::map<Outcome, int> outcomes;
  for (const EndedJob& end : live_.ends()) {
    EXPECT_EQ(end.reason, Reason::kCancelled);
    ++outcomes[end.outcome];
  }
  EXPECT_EQ(outcomes[Outcome::kDropped], 2);
  EXPECT_EQ(outcomes[Outcome::kRejected], 4);
  EXPECT_TRUE(live.engine().Drained());
  ReplyLog replies;
  live.Post(AcceleratorLoss{kLeft}, replies.ToRemember());
  EXPECT_THAT(replies.words(), ElementsAre("closed"));
}

TEST_F(LiveFaultsTest, StopEndsTheRequestsThatAreStillInTheInbox) {
  const RealClock clock;
  LiveSetup setup = world_.Live(clock, nullptr, &listener_);
  setup.door = FrontDoor::kOpen;
  LiveWorld live(std::move(setup), Fcfs(live_));
  ReplyLog replies;
  live.Submit({.number = 5, .agreement = kChainLeft}, replies.ToRemember());
  live.Stop();
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(live_.starts(), IsEmpty());
  ASSERT_THAT(live_.ends(), SizeIs(1));
  EXPECT_EQ(live_.ends()[0].outcome, Outcome::kRejected);
  live.Submit({.number = 6, .agreement = kChainLeft}, replies.ToRemember());
  EXPECT_THAT(replies.words(), ElementsAre("taken", "closed"));
}

}  // namespace
}  // namespace fairlead
