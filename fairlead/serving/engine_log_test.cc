#include "fairlead/serving/engine_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fairlead/serving/testing/sample_world.h"

namespace fairlead {
namespace {

using testing::HasSubstr;
using testing::Not;

class EngineLogTest : public testing::Test {
 protected:
  std::string Logged(LogLevel least, const std::function<void(EngineLog&)>& act) const {
    std::string text;
    {
      EventLog log(
          least, [] { return 0; }, [&](std::string_view more) { text += more; });
      EngineLog events(world_.ForEngine(), log, nullptr);
      events.Advanced(Instant{} + std::chrono::milliseconds{1500});
      act(events);
    }
    return text;
  }

  SampleWorld world_;
};

TEST_F(EngineLogTest, TellsWhoComesAndGoesByName) {
  const std::string text = Logged(LogLevel::kInfo, [](EngineLog& events) {
    events.Applied(TenantJoin{{.name = "ben"}});
    events.Applied(AgreementStart{{.tenant = TenantId{1}, .network = NetworkId{1}}});
    events.Applied(AgreementEnd{AgreementId{4}});
    events.Applied(TenantLeave{TenantId{1}});
    events.Applied(AcceleratorLoss{kRight});
    events.Applied(GuardFallback{"edf-h"});
    events.Applied(Arrival{});
  });
  EXPECT_THAT(text, HasSubstr(R"("event":"tenant-joined","at_s":1.5,"tenant":"ben"})"));
  EXPECT_THAT(text,
              HasSubstr(R"("agreement-began","at_s":1.5,"tenant":"ben","network":"chain-right"})"));
  EXPECT_THAT(text,
              HasSubstr(R"("agreement-ended","at_s":1.5,"tenant":"ben","network":"chain-right"})"));
  EXPECT_THAT(text, HasSubstr(R"("event":"tenant-left","at_s":1.5,"tenant":"ben"})"));
  EXPECT_THAT(
      text,
      HasSubstr(R"("level":"error","event":"accelerator-lost","at_s":1.5,"accelerator":"right"})"));
  EXPECT_THAT(text, HasSubstr(R"("event":"guard-fallback","at_s":1.5,"policy":"edf-h"})"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 6);
}

TEST_F(EngineLogTest, TellsOfEachRequestWhereThatIsWanted) {
  Job job;
  job.request = 77;
  job.tenant = TenantId{0};
  job.network = NetworkId{0};
  job.arrival = Instant{} + std::chrono::milliseconds{1490};
  const auto end = [&](EngineLog& events) {
    events.JobEnded(job, Outcome::kRejected, Reason::kUncovered,
                    Instant{} + std::chrono::milliseconds{1500});
  };
  EXPECT_EQ(Logged(LogLevel::kInfo, end), "");
  EXPECT_THAT(Logged(LogLevel::kDebug, end),
              HasSubstr(R"("request":77,"tenant":"t","network":"chain-left","outcome":"rejected",)"
                        R"("reason":"uncovered","waited_ms":10,"took_ms":10})"));
  const std::string failed = Logged(LogLevel::kInfo, [&](EngineLog& events) {
    events.JobEnded(job, Outcome::kDropped, Reason::kFailed, Instant{});
  });
  EXPECT_THAT(failed, HasSubstr(R"("level":"error","event":"request-failed")"));
}

TEST_F(EngineLogTest, TellsOfPromisesThatAreGivenUp) {
  const std::string text = Logged(LogLevel::kWarning, [](EngineLog& events) {
    events.PromiseSacrificed(kDiamond, Instant{});
    events.PromiseRestored(kDiamond, Instant{});
  });
  EXPECT_THAT(text,
              HasSubstr(R"("promise-given-up","at_s":1.5,"tenant":"t","network":"diamond"})"));
  EXPECT_THAT(text, Not(HasSubstr("taken-up-again")));
}

}  // namespace
}  // namespace fairlead
