// What changes under calls: networks, processors, beliefs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>

#include "fairlead/execution/testing/stepping_clock.h"
#include "fairlead/serving/belief_follower.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/testing/service_world.h"

namespace fairlead {
namespace {

using testing::ElementsAre;

constexpr TenantId kAda{0};

class InferenceChangesTest : public testing::Test {
 protected:
  static std::string Wait(const std::function<void(StatusReply)>& begin) {
    std::promise<std::string> told;
    begin([&](const Status& status) {
      told.set_value(status.has_value() ? "" : status.error().message);
    });
    return told.get_future().get();
  }
  static std::string Load(RunningService& service, const std::string& name) {
    return Wait([&](StatusReply reply) { service->LoadNetwork(name, std::move(reply)); });
  }
  static std::string Unload(RunningService& service, const std::string& name) {
    return Wait([&](StatusReply reply) { service->UnloadNetwork(name, std::move(reply)); });
  }

  ServiceWorld world_;
  const RealClock clock_;
};

TEST_F(InferenceChangesTest, ANetworkIsUnloadedAndLoadedAgain) {
  RunningService service(world_, world_.Setup(clock_));
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
  EXPECT_EQ(Unload(service, "g"), "");
  EXPECT_FALSE(service->NetworkReady("g"));
  EXPECT_FALSE(world_.networks->IsLoaded(0));
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kNoNetwork);
  EXPECT_EQ(Unload(service, "g"), "");  // it is
  EXPECT_EQ(Load(service, "g"), "");
  EXPECT_TRUE(service->NetworkReady("g"));
  const InferenceAnswer answer = service.Call(kAda, 3);
  EXPECT_EQ(answer.code, InferenceCode::kOk);
  EXPECT_EQ(FirstOf(answer.outputs[0]), 3 * FakeFactor(kServiceLayers));
  EXPECT_EQ(Load(service, "h"), "there is no network 'h'");
}

TEST_F(InferenceChangesTest, WhatRunsOfANetworkThatIsUnloadedEnds) {
  std::latch entered(1);
  std::latch leave(1);
  world_.behaviour[0].before_layer = [&](std::size_t layer) {
    if (layer > 0) return;
    entered.count_down();
    leave.wait();
  };
  RunningService service(world_, world_.Setup(clock_));
  AnswerLog log;
  service->Submit(RunningService::CallFor(kAda, 1), log.ToRemember());
  entered.wait();
  std::promise<void> unloaded;
  service->UnloadNetwork("g", [&](const Status& status) {
    EXPECT_TRUE(status.has_value());
    unloaded.set_value();
  });
  log.Await(1);
  EXPECT_THAT(log.codes(), ElementsAre("no-network"));
  leave.count_down();
  unloaded.get_future().get();
  EXPECT_EQ(world_.behaviour[0].carried, 1);
}

TEST_F(InferenceChangesTest, ALostProcessorIsLoadedAgainWhenItReturns) {
  FakeBehaviour fresh;
  for (FakeBehaviour& behaviour : world_.behaviour)
    behaviour.before_layer = [](std::size_t) { throw ProcessorLost("it melted"); };
  InferenceSetup setup = world_.Setup(clock_);
  setup.processors = [&](AcceleratorId) -> Result<std::unique_ptr<Processor>> {
    return std::make_unique<FakeProcessor>("fresh", fresh);
  };
  setup.live.world.agreements[0].deadline = std::chrono::hours{1};
  setup.live.engine.failure_limit = 10;
  RunningService service(world_, std::move(setup));
  AnswerLog log;
  service->Submit(RunningService::CallFor(kAda, 1), log.ToRemember());
  const auto all_gone = [&] {
    const ServiceReport report = service->Report();
    return !report.accelerators[0].online && !report.accelerators[1].online;
  };
  while (!all_gone()) std::this_thread::yield();
  std::promise<bool> back;
  service->Change(AcceleratorReturn{AcceleratorId{1}},
                  [&](const InputAnswer& answer) { back.set_value(answer.has_value()); });
  EXPECT_TRUE(back.get_future().get());
  log.Await(1);
  EXPECT_THAT(log.codes(), ElementsAre("ok"));
  EXPECT_EQ(fresh.carried, kServiceLayers);
  // Loading enters once, and so does the accelerator's thread.
  EXPECT_EQ(fresh.entered, 2);
}

TEST(BeliefFollowerTest, ProposesWhatIsMeasured) {
  const ServiceWorld world;
  SystemState state;
  state.networks = world.graphs;
  state.beliefs = world.costs.get();
  state.accelerators.push_back({.kind = KindId{0}});
  BeliefFollower follower({.quantile = 0.5, .least = 4});
  Assignment assignment;
  assignment.accelerator = AcceleratorId{0};
  assignment.network = NetworkId{0};
  assignment.segment = SegmentId{2};
  assignment.jobs = {JobId{0}};
  assignment.believed_latency = Duration{2000};  // with a switch
  EXPECT_TRUE(follower.Propose(state).empty());
  for (const int took : {3000, 5000, 4000, 4000})
    follower.Note(state, assignment, AtNanoseconds(took));
  EXPECT_TRUE(follower.Propose(state).empty());  // too soon
  state.now = Instant{std::chrono::seconds{1}};
  const std::vector<BeliefChange> changes = follower.Propose(state);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].segment, SegmentId{2});
  EXPECT_EQ(changes[0].latency, Duration{2000});  // twice what was believed of it alone
  for (const int took : {3000, 5000, 4000}) follower.Note(state, assignment, AtNanoseconds(took));
  state.now = Instant{std::chrono::seconds{2}};
  EXPECT_TRUE(follower.Propose(state).empty());  // too few since
}

TEST_F(InferenceChangesTest, BeliefsFollowWhatIsMeasured) {
  const SteppingClock clock(std::chrono::microseconds{1}, std::chrono::microseconds{10});
  InferenceSetup setup = world_.Setup(clock);
  setup.follow = BeliefFollowing{.every = std::chrono::microseconds{100}, .least = 8};
  RunningService service(world_, std::move(setup));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
  ASSERT_TRUE(service.Drain().has_value());
  // A look at the clock takes ten times what a segment was believed to take.
  EXPECT_GT(service->world().engine().state().beliefs->FastestTotal(NetworkId{0}),
            Duration{40'000});
}

}  // namespace
}  // namespace fairlead
