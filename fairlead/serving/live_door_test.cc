// What clients may hand in, and how nonsense is answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

#include "fairlead/execution/testing/manual_clock.h"
#include "fairlead/serving/live_world.h"
#include "fairlead/serving/testing/run_log.h"
#include "fairlead/serving/testing/sample_world.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class LiveDoorTest : public testing::Test {
 protected:
  LiveDoorTest() {
    LiveSetup setup = world_.Live(clock_, nullptr, &listener_);
    setup.door = FrontDoor::kOpen;
    setup.policies = [this](std::string_view name) -> Result<std::unique_ptr<SchedulingPolicy>> {
      if (name == "edf") return Edf(log_);
      return Fail("no policy '{}'", name);
    };
    live_.emplace(std::move(setup), Fcfs(log_));
  }
  void TearDown() override { EXPECT_EQ(log_.impossibilities, 0); }

  void Submit(const Request& request) { live_->Submit(request, replies_.ToRemember()); }
  void Post(ClientChange change) { live_->Post(std::move(change), replies_.ToRemember()); }
  void Run() {
    live_->Close();
    ASSERT_TRUE(live_->Run().has_value());
  }

  const SampleWorld world_;
  const ManualClock clock_;  // stands still; `kInstant` takes no time
  RunLog log_;
  EndListener listener_{log_};
  ReplyLog replies_;
  std::optional<LiveWorld> live_;
};

TEST_F(LiveDoorTest, RefusesWhatMakesNoSense) {
  Submit({.agreement = AgreementId{99}});
  Submit({.agreement = AgreementId{}});
  Submit({.agreement = kInstant, .deadline = Duration{-1}});
  Submit({.agreement = kInstant, .deadline = Duration::max()});
  Post(PolicyChange{"no-such-policy"});
  Post(AcceleratorLoss{AcceleratorId{99}});
  Post(TenantLeave{TenantId{99}});
  Post(AgreementStart{{.tenant = TenantId{0}, .network = NetworkId{99}}});
  Post(AgreementStart{{.tenant = TenantId{0}, .network = NetworkId{0}, .window = -1}});
  Post(AgreementChange{kInstant, {.tenant = TenantId{0}, .network = NetworkId{0}}});
  Post(Cancellation{{JobId{7}, 1}});
  Submit({.number = 1, .agreement = kInstant});
  Run();
  EXPECT_THAT(
      replies_.words(),
      ElementsAre("unknown-agreement", "unknown-agreement", "out-of-range", "out-of-range",
                  "unknown-policy", "unknown-accelerator", "unknown-tenant", "unknown-network",
                  "out-of-range", "other-agreement", "unknown-job", "taken"));
  EXPECT_EQ(live_->engine().policy_name(), "fcfs");
  ASSERT_THAT(log_.ends(), SizeIs(1));
  EXPECT_EQ(log_.ends()[0].outcome, Outcome::kHit);
}

TEST_F(LiveDoorTest, TakesEveryChange) {
  const AgreementId newcomer{world_.networks.size()};
  const ServiceAgreement promise{.tenant = TenantId{1}, .network = NetworkId{kInstant.value}};
  Post(TenantJoin{{.name = "new"}});
  Post(AgreementStart{promise});
  Submit({.number = 1, .agreement = newcomer});
  Post(AgreementChange{newcomer, promise});
  Post(AcceleratorLoss{kRight});
  Post(AcceleratorReturn{kRight});
  Post(PolicyChange{"edf"});
  Post(Cancellation{{JobId{0}, 99}});  // has ended long ago, as far as it tells
  Post(AgreementEnd{newcomer});
  Submit({.number = 2, .agreement = newcomer});
  Post(AgreementEnd{newcomer});
  Post(TenantLeave{TenantId{1}});
  Run();
  EXPECT_THAT(replies_.words(),
              ElementsAre("taken", "taken", "taken", "taken", "taken", "taken", "taken", "taken",
                          "taken", "agreement-ended", "agreement-ended", "taken"));
  EXPECT_EQ(live_->engine().policy_name(), "edf");
  EXPECT_THAT(log_.ends(), SizeIs(1));
}

// The clock stands still, so no token drips in.
TEST_F(LiveDoorTest, ContractsHoldForClients) {
  ServiceAgreement agreement{.tenant = TenantId{0},
                             .network = NetworkId{kInstant.value},
                             .contract = Contract{.rate = 1'000'000, .burst = 1}};
  Post(AgreementChange{kInstant, agreement});
  Submit({.number = 1, .agreement = kInstant});
  Submit({.number = 2, .agreement = kInstant});
  agreement.contract->over = Over::kRefuse;
  Post(AgreementChange{kInstant, agreement});
  Submit({.number = 3, .agreement = kInstant});
  Run();
  ASSERT_THAT(log_.ends(), SizeIs(3));
  for (const EndedJob& end : log_.ends()) {
    EXPECT_EQ(end.job.covered, end.job.request == 1);
    EXPECT_EQ(end.outcome, end.job.request == 3 ? Outcome::kRejected : Outcome::kHit);
    EXPECT_EQ(end.reason, end.job.request == 3 ? Reason::kUncovered : Reason::kNone);
  }
  EXPECT_EQ(live_->engine().state().ledger.Uncovered(kInstant).ended(), 2);
  EXPECT_EQ(log_.arrivals, 2);
}

TEST_F(LiveDoorTest, SaysWhatItMade) {
  std::vector<MadeByInput> made;
  const auto remember = [&made](const InputAnswer& answer) { made.push_back(answer.value()); };
  live_->Post(TenantJoin{{.name = "new"}}, remember);
  live_->Submit({.agreement = kInstant}, remember);
  Run();
  ASSERT_THAT(made, SizeIs(2));
  EXPECT_EQ(made[0].tenant, TenantId{1});
  EXPECT_EQ(made[1].job.id, JobId{0});
  EXPECT_GT(made[1].job.serial, 0U);
}

// A client of its own for each sort of sense and nonsense, all at once.
TEST_F(LiveDoorTest, AnswersEachOfManyThreads) {
  constexpr int kEach = 50;
  std::vector<ReplyLog> replies(4);
  std::vector<std::thread> clients;
  const auto client = [&](std::size_t which, const std::function<void(InputReply)>& send) {
    clients.emplace_back([&, which, send] {
      for (int i = 0; i < kEach; ++i) send(replies[which].ToRemember());
    });
  };
  LiveWorld& live = *live_;
  client(0, [&](InputReply reply) { live.Submit({.agreement = kInstant}, std::move(reply)); });
  client(1,
         [&](InputReply reply) { live.Submit({.agreement = AgreementId{99}}, std::move(reply)); });
  client(2, [&](InputReply reply) { live.Post(PolicyChange{"none"}, std::move(reply)); });
  client(3, [&](InputReply reply) {
    live.Post(AcceleratorReturn{AcceleratorId{9}}, std::move(reply));
  });
  std::thread closer([&] {
    for (std::thread& thread : clients) thread.join();
    live.Close();
  });
  ASSERT_TRUE(live.Run().has_value());
  closer.join();
  const std::vector<std::string> expected = {"taken", "unknown-agreement", "unknown-policy",
                                             "unknown-accelerator"};
  for (std::size_t which = 0; which < expected.size(); ++which)
    EXPECT_EQ(replies[which].words(), std::vector<std::string>(kEach, expected[which]));
  EXPECT_THAT(log_.ends(), SizeIs(kEach));
}

}  // namespace
}  // namespace fairlead
