// Calls through a live world that really computes.
#include "fairlead/serving/inference_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "fairlead/serving/clock.h"
#include "fairlead/serving/testing/service_world.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr TenantId kAda{0};
constexpr TenantId kBob{1};

class InferenceWorldTest : public testing::Test {
 protected:
  // What a call with some change is answered.
  InferenceAnswer Answer(RunningService& service, InferenceCall call) {
    std::promise<InferenceAnswer> answer;
    service->Submit(std::move(call),
                    [&](InferenceAnswer one) { answer.set_value(std::move(one)); });
    return answer.get_future().get();
  }

  ServiceWorld world_;
  const RealClock clock_;
};

TEST_F(InferenceWorldTest, EachCallGetsItsOwnResult) {
  RunningService service(world_, world_.Setup(clock_));
  std::vector<std::thread> clients;
  std::atomic<int> wrong = 0;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([&, c] {
      for (int i = 0; i < 50; ++i) {
        const auto x = static_cast<float>(c * 1000 + i);
        const InferenceAnswer answer = service.Call(c % 2 == 0 ? kAda : kBob, x);
        const bool right = answer.code == InferenceCode::kOk && answer.outputs.size() == 1 &&
                           FirstOf(answer.outputs[0]) == FakeFactor(kServiceLayers) * x;
        wrong += right ? 0 : 1;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  ASSERT_TRUE(service.Drain().has_value());
  const NetworkStatistics statistics = service->StatisticsOf(NetworkId{0});
  EXPECT_EQ(statistics.ended[0], 200U);
  EXPECT_EQ(statistics.segments, 800U);
  EXPECT_EQ(service->Report().under_way, 0U);
}

TEST_F(InferenceWorldTest, SaysWhatIsThere) {
  RunningService service(world_, world_.Setup(clock_));
  ASSERT_THAT(service->Networks(), SizeIs(1));
  const NetworkInfo network = *service->FindNetwork("g");
  EXPECT_TRUE(network.ready);
  EXPECT_THAT(network.inputs, ElementsAre(TensorInfo{"0", TensorType::kFp32, {1, 3}}));
  EXPECT_THAT(network.outputs, ElementsAre(TensorInfo{"8", TensorType::kFp32, {1, 3}}));
  EXPECT_EQ(service->FindNetwork("h"), std::nullopt);
  EXPECT_EQ(service->FindTenant("bob"), kBob);
  EXPECT_EQ(service->FindTenant("eve"), std::nullopt);
  EXPECT_EQ(service->FindAgreement(kBob, "g"), AgreementId{1});
  EXPECT_THAT(service->Report().accelerators, SizeIs(2));
}

TEST_F(InferenceWorldTest, RefusesCallsThatMakeNoSense) {
  RunningService service(world_, world_.Setup(clock_));
  const auto complaint = [&](auto change) {
    InferenceCall call = RunningService::CallFor(kAda, 1);
    change(call);
    const InferenceAnswer answer = Answer(service, std::move(call));
    return std::string(ToString(answer.code)) + ": " + answer.message;
  };
  EXPECT_THAT(complaint([](auto& call) { call.network = "h"; }),
              "no-network: Request for unknown model: there is no network 'h'");
  EXPECT_THAT(complaint([](auto& call) { call.tenant = TenantId{7}; }), HasSubstr("no-agreement"));
  EXPECT_THAT(complaint([](auto& call) { call.inputs.clear(); }),
              "malformed: input '0' is missing");
  EXPECT_THAT(complaint([](auto& call) { call.inputs.push_back(call.inputs[0]); }),
              "malformed: input '0' is there twice");
  EXPECT_THAT(complaint([](auto& call) { call.inputs.push_back(Floats("x", {1})); }),
              "malformed: the network has no input 'x'");
  EXPECT_THAT(complaint([](auto& call) { call.outputs = {"y"}; }),
              "malformed: the network has no output 'y'");
  EXPECT_THAT(complaint([](auto& call) {
                call.outputs = {"8", "8"};
              }),
              "malformed: output '8' is asked for twice");
  EXPECT_THAT(complaint([](auto& call) {
                call.inputs = {Floats("0", {1, 2})};
              }),
              HasSubstr("malformed: input '0' has the shape [1,2]"));
  EXPECT_THAT(complaint([](auto& call) { call.timeout = Duration{-5}; }),
              HasSubstr("deadline-unreachable"));
  EXPECT_THAT(complaint([](auto&) {}), "ok: ");
}

TEST_F(InferenceWorldTest, TakesOtherTypesThanTheNetworkHas) {
  RunningService service(world_, world_.Setup(clock_));
  InferenceCall call = RunningService::CallFor(kAda, 0);
  const auto bytes = std::make_shared<std::array<std::int8_t, 3>>(std::array<std::int8_t, 3>{-2});
  call.inputs = {{.info = {.name = "0", .type = TensorType::kInt8, .shape = {1, 3}},
                  .data = {.owner = bytes, .bytes = std::as_bytes(std::span(*bytes))}}};
  const InferenceAnswer answer = Answer(service, std::move(call));
  ASSERT_EQ(answer.code, InferenceCode::kOk);
  EXPECT_EQ(FirstOf(answer.outputs[0]), -2 * FakeFactor(kServiceLayers));
}

TEST_F(InferenceWorldTest, HoldsTheInputsNoLongerThanTheCall) {
  RunningService service(world_, world_.Setup(clock_));
  InferenceCall call = RunningService::CallFor(kAda, 1);
  const std::weak_ptr<const void> bytes = call.inputs[0].data.owner;
  EXPECT_EQ(Answer(service, std::move(call)).code, InferenceCode::kOk);
  EXPECT_TRUE(bytes.expired());
}

TEST_F(InferenceWorldTest, CancellingStopsWithinALayer) {
  std::latch entered(1);
  std::latch leave(1);
  world_.behaviour[0].before_layer = [&](std::size_t layer) {
    if (layer == 0) {
      entered.count_down();
      leave.wait();
    }
  };
  RunningService service(world_, world_.Setup(clock_));
  AnswerLog log;
  const Ticket ticket = service->Submit(RunningService::CallFor(kAda, 1), log.ToRemember());
  entered.wait();
  service->Cancel(ticket);
  EXPECT_THAT(log.codes(), ElementsAre("cancelled"));
  service->Cancel(ticket);  // once is enough
  leave.count_down();
  ASSERT_TRUE(service.Drain().has_value());
  EXPECT_EQ(world_.behaviour[0].carried, 1);
  EXPECT_THAT(log.answers(), SizeIs(1));
}

TEST_F(InferenceWorldTest, WhoHasWaitedLongestIsAnsweredFirst) {
  std::latch leave(1);
  for (FakeBehaviour& behaviour : world_.behaviour)
    behaviour.before_layer = [&](std::size_t) { leave.wait(); };
  RunningService service(world_, world_.Setup(clock_));
  std::mutex mutex;
  std::vector<int> answered;
  for (int i = 0; i < 6; ++i) {
    service->Submit(RunningService::CallFor(kAda, 1), [&, i](const InferenceAnswer&) {
      const std::lock_guard lock(mutex);
      answered.push_back(i);
    });
  }
  service->Stop();  // ends all of them at once
  leave.count_down();
  ASSERT_TRUE(service.Drain().has_value());
  EXPECT_THAT(answered, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(InferenceWorldTest, TenantsAndAgreementsComeAndGo) {
  RunningService service(world_, world_.Setup(clock_));
  const auto change = [&](ClientChange what) {
    std::promise<InputAnswer> answer;
    service->Change(std::move(what), [&](const InputAnswer& one) {
      service->Report();  // who is answered holds nothing
      answer.set_value(one);
    });
    return *answer.get_future().get();
  };
  const TenantId eve = change(TenantJoin{{.name = "eve"}}).tenant;
  EXPECT_EQ(service->FindTenant("eve"), eve);
  EXPECT_EQ(service.Call(eve, 1).code, InferenceCode::kNoAgreement);
  const ServiceAgreement promise{
      .tenant = eve, .network = NetworkId{0}, .deadline = std::chrono::seconds{1}, .target = 0.9};
  const AgreementId agreement = change(AgreementStart{promise}).agreement;
  EXPECT_EQ(service.Call(eve, 1).code, InferenceCode::kOk);
  std::vector<std::string> seen;
  service->VisitAgreements([&](const AgreementReport& report) {
    seen.push_back(fmt::format("{} {} {} {}", report.tenant, report.network, report.lifetime.hits(),
                               report.promise->IsPromised()));
  });
  EXPECT_THAT(seen, ElementsAre("ada g 0 false", "bob g 0 false", "eve g 1 true"));
  change(AgreementEnd{agreement});
  EXPECT_EQ(service.Call(eve, 1).code, InferenceCode::kNoAgreement);
  change(TenantLeave{kBob});
  EXPECT_EQ(service.Call(kBob, 1).code, InferenceCode::kNoAgreement);
  EXPECT_EQ(service->FindTenant("bob"), std::nullopt);
}

TEST_F(InferenceWorldTest, SegmentsThatFailTooOftenFailTheCall) {
  for (FakeBehaviour& behaviour : world_.behaviour)
    behaviour.before_layer = [](std::size_t) { throw std::runtime_error("a cosmic ray"); };
  RunningService service(world_, world_.Setup(clock_));
  EXPECT_EQ(service.Call(kAda, 1).code, InferenceCode::kFailed);
}

TEST_F(InferenceWorldTest, MemoryGrowsWithWhatIsUnderWayAlone) {
  RunningService service(world_, world_.Setup(clock_));
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(service.Call(kAda, 1).code, InferenceCode::kOk);
  EXPECT_LE(service->call_slots(), 4U);
  ASSERT_TRUE(service.Drain().has_value());
  const SystemState& state = service->world().engine().state();
  EXPECT_LE(state.jobs.size(), 4U);
  EXPECT_LE(state.segment_states.size(), 16U);
  EXPECT_LE(state.assignments.size(), 8U);
}

}  // namespace
}  // namespace fairlead
