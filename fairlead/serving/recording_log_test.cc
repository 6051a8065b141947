#include "fairlead/serving/recording_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/replay.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/testing/service_world.h"

namespace fairlead {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RecordingLogTest : public testing::Test {
 protected:
  RecordingLogTest() { fs::remove_all(folder_); }
  ~RecordingLogTest() override { fs::remove_all(folder_); }

  std::unique_ptr<RecordingLog> Open(RecordingLogOptions options) {
    options.folder = folder_.string();
    auto log = RecordingLog::Open(
        options, [this] { return wall_ += 1'000'000'000; },
        [this](const std::string& line) {
          const std::lock_guard lock(mutex_);
          told_.push_back(line);
        });
    EXPECT_TRUE(log.has_value()) << log.error().message;
    return std::move(*log);
  }

  // All that a service does is recorded there, under an engine that is renewed as often as it can.
  void RecordTo(RecordingLog& log, InferenceSetup& setup, ServiceWorld& world) {
    setup.live.policies = [&](std::string_view) -> Result<std::unique_ptr<SchedulingPolicy>> {
      return Edf(world.log);
    };
    const RecordingHeader header{
        .policy = "edf", .policy_name = "edf", .engine = ServingOptions(setup.live.engine)};
    log.Begin(header, setup.live.world, Instant{});
    setup.live.recorder = &log;
    setup.live.renewal =
        Renewal{.due = [&log](Instant now) { return log.Due(now); },
                .begin = [&log, header](const Renewal::Beginning& beginning) -> RunRecorder* {
                  log.Begin(header, beginning.world, beginning.now);
                  return &log;
                }};
  }

  std::vector<fs::path> Pieces() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder_)) paths.push_back(entry.path());
    std::ranges::sort(paths);
    return paths;
  }
  static std::string TextOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Each by itself; how the starts of all of them were.
  static void ExpectThatTheyReplay(const std::vector<fs::path>& pieces, RunLog& replayed) {
    for (const fs::path& piece : pieces) {
      const auto recording = ReadRecording(piece.filename().string(), TextOf(piece));
      ASSERT_TRUE(recording.has_value()) << recording.error().message;
      const auto report = Replay(
          *recording,
          [&](std::string_view, const Recording&) -> Result<std::unique_ptr<SchedulingPolicy>> {
            return Edf(replayed);
          });
      ASSERT_TRUE(report.has_value()) << report.error().message;
      EXPECT_TRUE(report->identical()) << piece << ToText(*report);
    }
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("recordings-") + testing::UnitTest::GetInstance()->current_test_info()->name());
  std::atomic<std::int64_t> wall_ = 1'700'000'000'000'000'000;
  std::mutex mutex_;
  std::vector<std::string> told_;
};

// Waits for each before the next one comes, so that there are moments at which nothing is under
// way.
void CallOneByOne(RunningService& service, int calls) {
  for (int i = 0; i < calls; ++i)
    EXPECT_EQ(service.Call(TenantId{static_cast<std::size_t>(i % 2)}, 1).code, InferenceCode::kOk);
}

TEST_F(RecordingLogTest, EveryPieceReplaysByItself) {
  ServiceWorld world;
  const RealClock clock;
  const auto log = Open({.piece = 1});
  InferenceSetup setup = world.Setup(clock);
  RecordTo(*log, setup, world);
  std::vector<OutcomeCounts> lifetimes;
  std::uint64_t decisions = 0;
  {
    RunningService service(world, std::move(setup));
    std::vector<std::thread> clients;
    for (std::size_t c = 0; c < 2; ++c) {
      clients.emplace_back([&, c] {
        for (int i = 0; i < 60; ++i) {
          std::promise<void> answered;
          InferenceCall call = RunningService::CallFor(TenantId{c}, 1);
          const Ticket ticket = service->Submit(
              std::move(call), [&](const InferenceAnswer&) { answered.set_value(); });
          if (i % 7 == 2) service->Cancel(ticket);
          if (i % 20 == 3) service->Change(TenantJoin{{.name = "new"}}, {});
          answered.get_future().get();
        }
      });
    }
    for (std::thread& client : clients) client.join();
    CallOneByOne(service, 20);
    decisions = service->Report().engine.decisions;
    service->VisitAgreements(
        [&](const AgreementReport& report) { lifetimes.push_back(report.history.lifetime); });
    ASSERT_TRUE(service.Drain().has_value());
  }
  log->Close();
  EXPECT_THAT(told_, IsEmpty());
  ASSERT_EQ(lifetimes.size(), 2U);
  for (const OutcomeCounts& lifetime : lifetimes) {
    EXPECT_LE(lifetime.ended(), 70);
    EXPECT_GE(lifetime.ended(), 61);  // who cancels before it is a request is in no book
  }
  EXPECT_GT(decisions, 140U);  // those of all engines
  const auto pieces = Pieces();
  RunLog replayed;
  ExpectThatTheyReplay(pieces, replayed);
  EXPECT_EQ(replayed.starts(), world.log.starts());
}

TEST_F(RecordingLogTest, WhatHasChangedIsThereInTheNextPiece) {
  ServiceWorld world;
  const RealClock clock;
  const auto log = Open({.piece = 1});
  InferenceSetup setup = world.Setup(clock);
  setup.live.world.agreements[1].contract = {.rate = 1'000'000, .burst = 20, .over = Over::kRefuse};
  setup.network_source = NetworkSource{.find = [](const NetworkOrder&) -> Result<RunnableNetwork> {
                                         return RunnableNetwork{FakeGraph("n", 6), {0, 2, 4, 6}};
                                       },
                                       .names = [] { return std::vector<std::string>{}; }};
  setup.newcomers_for = TenantId{0};
  RecordTo(*log, setup, world);
  int refused = 0;
  {
    RunningService service(world, std::move(setup));
    for (const char* const name : {"h", "i", "h"}) {
      std::promise<bool> loaded;
      service->LoadNetwork({name},
                           [&](const Status& status) { loaded.set_value(status.has_value()); });
      EXPECT_TRUE(loaded.get_future().get());
      for (int i = 0; i < 10; ++i) {
        std::promise<InferenceCode> answer;
        InferenceCall call = RunningService::CallFor(TenantId{0}, 1);
        call.network = name;
        service->Submit(std::move(call),
                        [&](const InferenceAnswer& one) { answer.set_value(one.code); });
        EXPECT_EQ(answer.get_future().get(), InferenceCode::kOk);
        refused += service.Call(TenantId{1}, 1).code == InferenceCode::kOverContract ? 1 : 0;
      }
      std::promise<bool> unloaded;
      service->UnloadNetwork(name,
                             [&](const Status& status) { unloaded.set_value(status.has_value()); });
      EXPECT_TRUE(unloaded.get_future().get());
    }
    ASSERT_TRUE(service.Drain().has_value());
  }
  log->Close();
  EXPECT_GE(refused, 9);  // tokens are not given out anew with each engine
  EXPECT_LE(refused, 10);
  RunLog replayed;
  ExpectThatTheyReplay(Pieces(), replayed);
  EXPECT_EQ(replayed.starts(), world.log.starts());
}

TEST_F(RecordingLogTest, TheOldestPiecesGo) {
  constexpr std::int64_t kKeep = 20'000;
  ServiceWorld world;
  const RealClock clock;
  const auto log = Open({.keep = kKeep, .piece = 1});
  InferenceSetup setup = world.Setup(clock);
  RecordTo(*log, setup, world);
  {
    RunningService service(world, std::move(setup));
    CallOneByOne(service, 60);
  }
  log->Close();
  std::int64_t total = 0;
  const auto pieces = Pieces();
  for (const fs::path& piece : pieces) total += static_cast<std::int64_t>(fs::file_size(piece));
  EXPECT_LE(total, kKeep);
  EXPECT_GT(pieces.size(), 2U);
  EXPECT_GT(pieces.front().filename(), PieceName(1'700'000'010'000'000'000));
}

TEST_F(RecordingLogTest, ADiskThatTakesNothingIsTold) {
  ServiceWorld world;
  const RealClock clock;
  const auto log = Open({.piece = 1});
  fs::remove_all(folder_);
  InferenceSetup setup = world.Setup(clock);
  RecordTo(*log, setup, world);
  {
    RunningService service(world, std::move(setup));
    CallOneByOne(service, 20);
    while (true) {  // its thread tells it
      const std::lock_guard lock(mutex_);
      if (!told_.empty()) break;
    }
    CallOneByOne(service, 20);
  }
  EXPECT_THAT(told_, ElementsAre(HasSubstr("recordings cannot be written")));
}

TEST_F(RecordingLogTest, APieceThatNothingEndsHasAnEnd) {
  const ServiceWorld world;
  {
    const auto log = Open({.keep = 8000});
    log->Begin({.policy = "edf", .policy_name = "edf"}, world.ForEngine(), Instant{});
    // Nothing is ever quiet.
    for (int i = 0; i < 10; ++i) {
      log->Advanced(Instant{} + std::chrono::seconds{2 * i});
      for (int j = 0; j < 100; ++j) log->Applied(Expiry{});
    }
    EXPECT_TRUE(log->Due(Instant{} + std::chrono::seconds{60}));
    log->Begin({.policy = "edf", .policy_name = "edf"}, world.ForEngine(),
               Instant{} + std::chrono::seconds{60});
  }
  EXPECT_THAT(told_, ElementsAre(HasSubstr("not recorded from here on until it is"),
                                 HasSubstr("after a gap of")));
  const auto pieces = Pieces();
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_LE(fs::file_size(pieces[0]), 8000U);
  EXPECT_TRUE(ReadRecording("first", TextOf(pieces[0])).has_value());
}

TEST_F(RecordingLogTest, NamesAreInOrderOfTime) {
  EXPECT_EQ(PieceName(1'700'000'000'123'000'000), "fairlead-20231114T221320.123Z.rec");
  EXPECT_LT(PieceName(1'700'000'000'123'000'000), PieceName(1'700'000'000'124'000'000));
  EXPECT_TRUE(IsPieceName(PieceName(0)));
  EXPECT_FALSE(IsPieceName("fairlead-.rec"));
  EXPECT_FALSE(IsPieceName("notes.rec"));
}

TEST_F(RecordingLogTest, AFileIsNoFolder) {
  std::ofstream(folder_) << "a file";
  const auto log = RecordingLog::Open(
      {.folder = folder_.string()}, [] { return 0; }, [](const std::string&) {});
  EXPECT_FALSE(log.has_value());
}

}  // namespace
}  // namespace fairlead
