// Calls that are not served: too late, beyond their contract, or when nothing more is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "fairlead/execution/testing/manual_clock.h"
#include "fairlead/serving/testing/service_world.h"

namespace fairlead {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TenantId kAda{0};
constexpr TenantId kBob{1};

class InferenceDeadlinesTest : public testing::Test {
 protected:
  // The first layer of all waits for `leave_`.
  void HoldUpTheFirst() {
    for (FakeBehaviour& behaviour : world_.behaviour) {
      behaviour.before_layer = [this](std::size_t /*layer*/) {
        if (!first_.exchange(false)) return;
        entered_.count_down();
        leave_.wait();
      };
    }
  }
  static InferenceCall CallWithin(Duration timeout) {
    InferenceCall call = RunningService::CallFor(kAda, 1);
    call.timeout = timeout;
    return call;
  }

  ServiceWorld world_;
  ManualClock clock_;
  AnswerLog log_;
  std::atomic<bool> first_ = true;
  std::latch entered_{1};
  std::latch leave_{1};
};

TEST_F(InferenceDeadlinesTest, AnswersAtTheDeadlineWhateverStillRuns) {
  HoldUpTheFirst();
  RunningService service(world_, world_.Setup(clock_));
  service->Submit(CallWithin(milliseconds(5)), log_.ToRemember());
  entered_.wait();
  EXPECT_EQ(service.Call(kBob, 1).code, InferenceCode::kOk);  // nobody waits behind it
  EXPECT_THAT(log_.codes(), IsEmpty());
  clock_.Advance(milliseconds(5) + Duration{1});
  log_.Await(1);
  EXPECT_THAT(log_.codes(), ElementsAre("deadline-passed"));
  const int carried = world_.behaviour[0].carried + world_.behaviour[1].carried;
  leave_.count_down();
  ASSERT_TRUE(service.Drain().has_value());
  EXPECT_EQ(world_.behaviour[0].carried + world_.behaviour[1].carried, carried + 1);
  EXPECT_EQ(service->StatisticsOf(NetworkId{0})
                .ended[static_cast<std::size_t>(InferenceCode::kDeadlinePassed)],
            1U);
}

TEST_F(InferenceDeadlinesTest, RefusesAtOnceWhatCannotBeInTime) {
  RunningService service(world_, world_.Setup(clock_));
  service->Submit(CallWithin(Duration{3999}), log_.ToRemember());  // four segments of 1000
  service->Submit(CallWithin(Duration{4000}), log_.ToRemember());
  log_.Await(2);
  EXPECT_THAT(log_.codes(), ElementsAre("deadline-unreachable", "ok"));
  service->VisitAgreements([](const AgreementReport& report) {
    // Who asks for less time than was promised ruins no indicator.
    EXPECT_EQ(report.lifetime.failures(), 0);
  });
}

TEST_F(InferenceDeadlinesTest, APromiseThatCannotBeKeptCounts) {
  InferenceSetup setup = world_.Setup(clock_);
  setup.live.world.agreements[0].deadline = Duration{100};
  RunningService service(world_, std::move(setup));
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kDeadlineUnreachable);
  service->VisitAgreements([](const AgreementReport& report) {
    EXPECT_EQ(report.lifetime.Of(Outcome::kRejected), report.tenant == "ada" ? 1 : 0);
  });
}

TEST_F(InferenceDeadlinesTest, SaysWhenTheContractCoversAnotherOne) {
  InferenceSetup setup = world_.Setup(clock_);
  setup.live.world.agreements[0].contract = {
      .rate = 4'000'000, .burst = 2, .over = Over::kRefuse};  // four a second
  RunningService service(world_, std::move(setup));
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
  const InferenceAnswer refused = service.Call(kAda, 1);
  EXPECT_EQ(refused.code, InferenceCode::kOverContract);
  EXPECT_EQ(refused.retry_after, milliseconds(250));
  EXPECT_EQ(service.Call(kBob, 1).code, InferenceCode::kOk);
  clock_.Advance(milliseconds(250));
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
}

TEST_F(InferenceDeadlinesTest, RefusesWhatNothingThatIsThereCanRun) {
  RunningService service(world_, world_.Setup(clock_));
  service->Change(AcceleratorLoss{AcceleratorId{0}}, {});
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
  service->Change(AcceleratorLoss{AcceleratorId{1}}, {});
  const InferenceAnswer refused = service.Call(kAda, 1);
  EXPECT_EQ(refused.code, InferenceCode::kNoCapacity);
  EXPECT_TRUE(refused.retry_after.has_value());
  service->Change(AcceleratorReturn{AcceleratorId{1}}, {});
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
}

TEST_F(InferenceDeadlinesTest, DrainingServesWhatWasTaken) {
  HoldUpTheFirst();
  RunningService service(world_, world_.Setup(clock_));
  service->Submit(RunningService::CallFor(kAda, 1), log_.ToRemember());
  entered_.wait();
  service->Drain(seconds(1));
  EXPECT_EQ(service->state(), ServiceState::kDraining);
  EXPECT_EQ(service.Call(kBob, 1).code, InferenceCode::kDraining);
  EXPECT_THAT(log_.codes(), IsEmpty());
  leave_.count_down();
  ASSERT_TRUE(service.Drain().has_value());
  EXPECT_THAT(log_.codes(), ElementsAre("ok"));
  EXPECT_EQ(service->state(), ServiceState::kStopped);
}

TEST_F(InferenceDeadlinesTest, DrainingEndsWhenItHasTakenTooLong) {
  HoldUpTheFirst();
  RunningService service(world_, world_.Setup(clock_));
  service->Submit(RunningService::CallFor(kAda, 1), log_.ToRemember());
  entered_.wait();
  std::latch lost(2);
  for (const AcceleratorId accelerator : {AcceleratorId{0}, AcceleratorId{1}})
    service->Change(AcceleratorLoss{accelerator}, [&](const InputAnswer&) { lost.count_down(); });
  lost.wait();
  leave_.count_down();
  service->Drain(milliseconds(10));
  EXPECT_THAT(log_.codes(), IsEmpty());
  clock_.Advance(milliseconds(10));
  log_.Await(1);
  EXPECT_THAT(log_.codes(), ElementsAre("draining"));
}

TEST_F(InferenceDeadlinesTest, WhatWasCancelledBeforeItEnteredIsCancelled) {
  InferenceWorld service(world_.Setup(clock_), Edf(world_.log));
  const Ticket ticket = service.Submit(RunningService::CallFor(kAda, 1), log_.ToRemember());
  service.Cancel(ticket);
  EXPECT_THAT(log_.codes(), ElementsAre("cancelled"));
  service.Drain(seconds(1));
  ASSERT_TRUE(service.Run().has_value());
  EXPECT_EQ(world_.behaviour[0].carried + world_.behaviour[1].carried, 0);
  EXPECT_EQ(log_.answers().size(), 1U);
}

}  // namespace
}  // namespace fairlead
