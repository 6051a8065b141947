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
    return Wait([&](StatusReply reply) { service->LoadNetwork({name}, std::move(reply)); });
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

// ---- Networks that come --------------------------------------------------------------------

class NewNetworksTest : public InferenceChangesTest {
 protected:
  InferenceSetup WithSource() {
    InferenceSetup setup = world_.Setup(clock_);
    setup.live.policies = [this](std::string_view) -> Result<std::unique_ptr<SchedulingPolicy>> {
      return Edf(world_.log);
    };
    setup.network_source =
        NetworkSource{.find = [this](const NetworkOrder& order) -> Result<RunnableNetwork> {
                        if (order.name == "bad") return Fail("it is no network");
                        found_.push_back(order.file.value_or("source"));
                        const std::size_t layers = order.file.has_value() ? 4 : 6;
                        return RunnableNetwork{FakeGraph("in the file", layers), {0, 2, layers}};
                      },
                      .names =
                          [] {
                            return std::vector<std::string>{"g", "h"};
                          }};
    setup.newcomers_for = kAda;
    return setup;
  }
  static InferenceAnswer Call(RunningService& service, const std::string& network) {
    InferenceCall call = RunningService::CallFor(kAda, 1);
    call.network = network;
    std::promise<InferenceAnswer> answer;
    service->Submit(std::move(call),
                    [&](InferenceAnswer one) { answer.set_value(std::move(one)); });
    return answer.get_future().get();
  }

  std::vector<std::string> found_;
};

TEST_F(NewNetworksTest, ANetworkThatWasNotThereIsLoadedAndCalled) {
  RunningService service(world_, WithSource());
  EXPECT_THAT(service->Loadable(), ElementsAre("h"));
  EXPECT_EQ(Call(service, "h").code, InferenceCode::kNoNetwork);
  EXPECT_EQ(Load(service, "h"), "");
  EXPECT_TRUE(service->Loadable().empty());
  const InferenceAnswer answer = Call(service, "h");
  ASSERT_EQ(answer.code, InferenceCode::kOk) << answer.message;
  EXPECT_EQ(FirstOf(answer.outputs[0]), FakeFactor(6));
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
  EXPECT_EQ(service->Networks().size(), 2U);
  EXPECT_EQ(Load(service, "h"), "");  // it is
  EXPECT_EQ(found_.size(), 1U);
}

TEST_F(NewNetworksTest, UnloadingItGivesItsMemoryBack) {
  RunningService service(world_, WithSource());
  EXPECT_EQ(Load(service, "h"), "");
  EXPECT_EQ(Unload(service, "h"), "");
  EXPECT_TRUE(world_.networks->network(NetworkId{1}).graph.operators.empty());
  EXPECT_TRUE(world_.networks->IsLoaded(0));
  for (std::size_t pool = 2; pool < world_.networks->pools().size(); ++pool)
    EXPECT_FALSE(world_.networks->IsLoaded(pool));
  EXPECT_EQ(Call(service, "h").code, InferenceCode::kNoNetwork);
  EXPECT_EQ(Load(service, "h"), "");  // found once more
  EXPECT_EQ(Call(service, "h").code, InferenceCode::kOk);
  EXPECT_EQ(service->Networks().size(), 2U);
}

TEST_F(NewNetworksTest, AFileTakesThePlaceOfANetworkThatIsUnloaded) {
  RunningService service(world_, WithSource());
  const auto load_file = [&] {
    return Wait([&](StatusReply reply) {
      service->LoadNetwork({.name = "g", .file = "bytes"}, std::move(reply));
    });
  };
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
  EXPECT_EQ(load_file(), "'g' is loaded; unload it first");
  EXPECT_EQ(Unload(service, "g"), "");
  EXPECT_EQ(load_file(), "");
  const InferenceAnswer answer = service.Call(kAda, 1);
  ASSERT_EQ(answer.code, InferenceCode::kOk) << answer.message;
  EXPECT_EQ(FirstOf(answer.outputs[0]), FakeFactor(4));
  std::vector<std::int64_t> open;  // how many requests each has had, the first network's included
  service->VisitAgreements([&](const AgreementReport& report) {
    if (report.open) open.push_back(report.lifetime.ended());
  });
  EXPECT_THAT(open, ElementsAre(2, 0));
}

TEST_F(NewNetworksTest, SaysWhyANetworkCannotCome) {
  RunningService service(world_, WithSource());
  EXPECT_EQ(Load(service, "bad"), "it is no network");
  for (FakeBehaviour& behaviour : world_.behaviour)
    behaviour.before_layer = [](std::size_t) { throw std::runtime_error("no"); };
  EXPECT_NE(Load(service, "h"), "");
  for (FakeBehaviour& behaviour : world_.behaviour) behaviour.before_layer = nullptr;
  EXPECT_EQ(Load(service, "h"), "");
  EXPECT_EQ(Call(service, "h").code, InferenceCode::kOk);
}

TEST_F(NewNetworksTest, NobodyComesWhereThePolicyCannotBeMadeAnew) {
  InferenceSetup setup = WithSource();
  setup.live.policies = nullptr;
  RunningService service(world_, std::move(setup));
  EXPECT_EQ(Load(service, "h"), "the policy of this run cannot be changed");
  EXPECT_EQ(world_.networks->networks(), 1U);
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
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
