// The guard of a live run: a policy that stalls, that says nonsense or that lets the machine stand
// idle is replaced, and the recording of all that replays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/recording/recording_writer.h"
#include "fairlead/recording/replay.h"
#include "fairlead/scheduling/guard.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/live_world.h"
#include "fairlead/serving/testing/run_log.h"
#include "fairlead/serving/testing/sample_world.h"

namespace fairlead {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Decides like first come, first served, after a while.
class Staller final : public SchedulingPolicy {
 public:
  explicit Staller(std::unique_ptr<SchedulingPolicy> policy) : policy_(std::move(policy)) {}
  std::string_view Name() const override { return "staller"; }
  void Observe(const SystemView& view, const Event& event) override {
    policy_->Observe(view, event);
  }
  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    std::this_thread::sleep_for(milliseconds(3));
    policy_->Decide(view, plan);
  }

 private:
  std::unique_ptr<SchedulingPolicy> policy_;
};

class Idler final : public SchedulingPolicy {
 public:
  std::string_view Name() const override { return "idler"; }
  void Decide(const SystemView& /*view*/, SchedulingPlan& /*plan*/) override {}
};

class Babbler final : public SchedulingPolicy {
 public:
  std::string_view Name() const override { return "babbler"; }
  void Decide(const SystemView& view, SchedulingPlan& plan) override { plan.Wake(view.now()); }
};

// Notes how jobs end and what the guard does.
class GuardListener final : public RunListener {
 public:
  void JobEnded(const Job& /*job*/, Outcome /*outcome*/, Reason /*reason*/,
                Instant /*now*/) override {
    ++ended;
  }
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {}
  void GuardActed(const GuardAct& act, Instant /*now*/) override { acts.push_back(Describe(act)); }

  int ended = 0;
  std::vector<std::string> acts;
};

class LiveGuardTest : public ::testing::Test {
 protected:
  // Runs the requests under a policy with a guard, and replays the recording.
  void Run(const std::string& policy, const GuardOptions& guard, std::vector<Request> requests) {
    ListedRequests source(std::move(requests));
    LiveSetup setup = world_.Live(clock_, &source, &listener_);
    setup.policies = [this](std::string_view name) { return Make(name); };
    setup.guard = guard;
    setup.policy = policy;
    std::ostringstream file;
    RecordingWriter writer(file, {.policy = policy, .policy_name = policy, .engine = setup.engine},
                           setup.world);
    setup.recorder = &writer;
    live_.emplace(std::move(setup), *Make(policy));
    const Status status = live_->Run();
    ASSERT_TRUE(status.has_value()) << status.error().message;
    ASSERT_TRUE(writer.Close().has_value());
    ExpectReplays(file.str());
  }

  Result<std::unique_ptr<SchedulingPolicy>> Make(std::string_view name) {
    if (name == "staller") return std::make_unique<Staller>(Fcfs(log_));
    if (name == "idler") return std::make_unique<Idler>();
    if (name == "babbler") return std::make_unique<Babbler>();
    if (name == "fcfs") return Fcfs(log_);
    if (name == "edf") return Edf(log_);
    return Fail("no policy '{}'", name);
  }

  void ExpectReplays(const std::string& text) {
    const auto recording = ReadRecording("live.rec", text);
    ASSERT_TRUE(recording.has_value()) << recording.error().message;
    const auto report =
        Replay(*recording, [this](std::string_view name, const Recording&) { return Make(name); });
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->identical()) << ToText(*report);
  }

  const GuardBooks& books() const { return live_->engine().guard_books(); }

  // One that does not mind a busy machine.
  static GuardOptions Patient() {
    return {.fallback = "edf",
            .decision = hours(1),
            .idle = hours(1),
            .strikes = 3,
            .within = hours(1),
            .back = std::nullopt};
  }

  const SampleWorld world_;
  const RealClock clock_;
  RunLog log_;
  GuardListener listener_;
  std::optional<LiveWorld> live_;
};

TEST_F(LiveGuardTest, APolicyThatDoesNotErrIsLeftAlone) {
  Run("fcfs", Patient(), Simultaneous(8));
  EXPECT_EQ(listener_.ended, 8);
  EXPECT_THAT(listener_.acts, IsEmpty());
}

TEST_F(LiveGuardTest, APolicyThatStallsIsReplaced) {
  GuardOptions guard = Patient();
  guard.decision = milliseconds(2);  // which it always exceeds
  Run("staller", guard, Simultaneous(8));
  EXPECT_EQ(listener_.ended, 8);
  EXPECT_THAT(listener_.acts, ElementsAre("strike: slow-decision", "strike: slow-decision",
                                          "strike: slow-decision", "edf takes over"));
  EXPECT_GT(books().UnderFallback(live_->totals().end), Duration::zero());
}

TEST_F(LiveGuardTest, APolicyThatStartsNothingIsReplaced) {
  GuardOptions guard = Patient();
  guard.idle = milliseconds(1);
  std::vector<Request> requests = Simultaneous(4);
  for (Request& request : requests) request.deadline = hours(1);
  Run("idler", guard, requests);
  EXPECT_EQ(listener_.ended, 4);
  EXPECT_EQ(live_->engine().counters().segments_finished, 10U);
  EXPECT_THAT(listener_.acts, ElementsAre("strike: idle-machine", "strike: idle-machine",
                                          "strike: idle-machine", "edf takes over"));
}

TEST_F(LiveGuardTest, APolicyThatMakesWrongPlansIsReplacedAndComesBack) {
  GuardOptions guard = Patient();
  guard.strikes = 1;
  guard.back = milliseconds(5);
  std::vector<Request> requests = Simultaneous(2);
  for (std::size_t i = 0; i < 20; ++i) {
    requests.push_back({.number = 2 + i,
                        .agreement = kChainLeft,
                        .arrival = Instant{milliseconds(1 + i)},
                        .deadline = milliseconds(100)});
  }
  Run("babbler", guard, requests);
  EXPECT_EQ(listener_.ended, 22);
  ASSERT_GE(listener_.acts.size(), 4U);  // it has 80 ms of work
  listener_.acts.resize(4);
  EXPECT_THAT(listener_.acts, ElementsAre("strike: wrong-plan", "edf takes over", "babbler is back",
                                          "strike: wrong-plan"));
  EXPECT_GE(books().fallbacks, books().returns);
}

// Somebody chooses another policy while the fallback rules.
TEST_F(LiveGuardTest, APolicyThatIsChosenMeanwhileIsGuarded) {
  GuardOptions guard = Patient();
  guard.strikes = 1;
  guard.back = hours(1);
  std::vector<Request> requests = Simultaneous(4);
  requests.push_back({.number = 4, .agreement = kChainLeft, .arrival = Instant{milliseconds(20)}});
  ListedRequests source(requests);
  LiveSetup setup = world_.Live(clock_, &source, &listener_);
  setup.policies = [this](std::string_view name) { return Make(name); };
  setup.guard = guard;
  setup.policy = "babbler";
  setup.timeline = {{Instant{milliseconds(1)}, PolicyChange{"fcfs"}},
                    {Instant{milliseconds(2)}, PolicyChange{"babbler"}}};
  LiveWorld live(std::move(setup), *Make("babbler"));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_EQ(listener_.ended, 5);
  EXPECT_THAT(listener_.acts, ElementsAre("strike: wrong-plan", "edf takes over",
                                          "strike: wrong-plan", "edf takes over"));
}

// Clients may try out a policy: another one takes over, under a guard from then on.
TEST_F(LiveGuardTest, AGuardMayBePosted) {
  GuardOptions guard = Patient();
  guard.strikes = 1;
  LiveSetup setup = world_.Live(clock_, nullptr, &listener_);
  setup.door = FrontDoor::kOpen;
  setup.policies = [this](std::string_view name) { return Make(name); };
  setup.policy = "fcfs";
  LiveWorld live(std::move(setup), *Make("fcfs"));
  ReplyLog replies;
  live.Post(GuardRules{{.fallback = "nobody"}}, replies.ToRemember());
  live.Post(GuardRules{{.fallback = "edf", .strikes = 0}}, replies.ToRemember());
  live.Post(GuardRules{guard}, replies.ToRemember());
  live.Post(PolicyChange{"babbler"}, replies.ToRemember());
  live.Submit({.number = 0, .agreement = kChainLeft}, replies.ToRemember());
  live.Close();
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(replies.words(),
              ElementsAre("unknown-policy", "out-of-range", "taken", "taken", "taken"));
  EXPECT_EQ(listener_.ended, 1);
  EXPECT_THAT(listener_.acts, ElementsAre("strike: wrong-plan", "edf takes over"));
}

// Whoever has set the world up has not said what the policy is called.
TEST_F(LiveGuardTest, APolicyThatCouldNotComeBackCannotBeGuarded) {
  LiveSetup setup = world_.Live(clock_, nullptr, &listener_);
  setup.door = FrontDoor::kOpen;
  setup.policies = [this](std::string_view name) { return Make(name); };
  LiveWorld live(std::move(setup), *Make("fcfs"));
  ReplyLog replies;
  live.Post(GuardRules{Patient()}, replies.ToRemember());
  live.Close();
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(replies.words(), ElementsAre("unknown-policy"));
}

}  // namespace
}  // namespace fairlead
