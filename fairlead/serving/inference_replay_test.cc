// What came through the front door, recorded and replayed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fairlead/recording/recording_writer.h"
#include "fairlead/recording/replay.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/testing/service_world.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;

// Some calls from some threads: with little time, cancelled, of tenants that come and go.
void CallAround(InferenceWorld& service, AnswerLog& log) {
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < 3; ++c) {
    clients.emplace_back([&, c] {
      for (int i = 0; i < 60; ++i) {
        InferenceCall call = RunningService::CallFor(TenantId{c % 2}, 1);
        if (i % 5 == 1) call.timeout = microseconds(50);
        const Ticket ticket = service.Submit(std::move(call), log.ToRemember());
        if (i % 7 == 2) service.Cancel(ticket);
        if (i % 20 == 3) service.Change(TenantJoin{{.name = "new"}}, {});
        if (i % 30 == 4) service.Change(AcceleratorLoss{AcceleratorId{1}}, {});
        if (i % 30 == 9) service.Change(AcceleratorReturn{AcceleratorId{1}}, {});
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST(InferenceReplayTest, ARunThroughTheFrontDoorReplaysDecisionForDecision) {
  ServiceWorld world;
  std::atomic<int> layers = 0;
  for (FakeBehaviour& behaviour : world.behaviour) {
    behaviour.before_layer = [&](std::size_t) {
      if (++layers % 61 == 0) throw std::runtime_error("a cosmic ray");
    };
  }
  const RealClock clock;
  InferenceSetup setup = world.Setup(clock);
  setup.live.world.agreements[1].contract = {.rate = 1'000'000, .burst = 20, .over = Over::kRefuse};
  std::ostringstream stream;
  RecordingWriter writer(
      stream, {.policy = "edf", .policy_name = "edf", .engine = ServingOptions(setup.live.engine)},
      setup.live.world);
  setup.live.recorder = &writer;
  AnswerLog log;
  {
    RunningService service(world, std::move(setup));
    CallAround(*service, log);
    ASSERT_TRUE(service.Drain().has_value());
  }
  EXPECT_EQ(log.answers().size(), 180U);
  ASSERT_TRUE(writer.Close().has_value());
  const auto recording = ReadRecording("run.rec", stream.str());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  RunLog replayed;
  const auto report =
      Replay(*recording,
             [&](std::string_view, const Recording&) -> Result<std::unique_ptr<SchedulingPolicy>> {
               return Edf(replayed);
             });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical()) << ToText(*report);
  EXPECT_GT(report->decisions, 100U);
  EXPECT_EQ(replayed.starts(), world.log.starts());
}

TEST(InferenceReplayTest, NetworksThatCameAndWentReplayToo) {
  ServiceWorld world;
  const RealClock clock;
  InferenceSetup setup = world.Setup(clock);
  setup.live.policies = [&](std::string_view) -> Result<std::unique_ptr<SchedulingPolicy>> {
    return Edf(world.log);
  };
  setup.network_source = NetworkSource{.find = [](const NetworkOrder&) -> Result<RunnableNetwork> {
                                         return RunnableNetwork{FakeGraph("n", 6), {0, 2, 4, 6}};
                                       },
                                       .names = [] { return std::vector<std::string>{}; }};
  setup.newcomers_for = TenantId{0};
  std::ostringstream stream;
  RecordingWriter writer(
      stream, {.policy = "edf", .policy_name = "edf", .engine = ServingOptions(setup.live.engine)},
      setup.live.world);
  setup.live.recorder = &writer;
  AnswerLog log;
  {
    RunningService service(world, std::move(setup));
    std::thread client([&] { CallAround(*service, log); });
    for (const char* const name : {"h", "i", "h"}) {
      std::promise<bool> loaded;
      service->LoadNetwork({name},
                           [&](const Status& status) { loaded.set_value(status.has_value()); });
      EXPECT_TRUE(loaded.get_future().get());
      for (int i = 0; i < 20; ++i) {
        InferenceCall call = RunningService::CallFor(TenantId{0}, 1);
        call.network = name;
        service->Submit(std::move(call), log.ToRemember());
      }
      std::promise<bool> unloaded;
      service->UnloadNetwork(name,
                             [&](const Status& status) { unloaded.set_value(status.has_value()); });
      EXPECT_TRUE(unloaded.get_future().get());
    }
    client.join();
    ASSERT_TRUE(service.Drain().has_value());
  }
  EXPECT_EQ(log.answers().size(), 240U);
  ASSERT_TRUE(writer.Close().has_value());
  EXPECT_NE(stream.str().find("\nnetwork {"), std::string::npos);
  const auto recording = ReadRecording("run.rec", stream.str());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  RunLog replayed;
  const auto report =
      Replay(*recording,
             [&](std::string_view, const Recording&) -> Result<std::unique_ptr<SchedulingPolicy>> {
               return Edf(replayed);
             });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical()) << ToText(*report);
  EXPECT_EQ(replayed.starts(), world.log.starts());
}

}  // namespace
}  // namespace fairlead
