// A recording made by hand, with times that can be checked with a pencil.
#include "fairlead/scheduling/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <sstream>

#include "fairlead/scheduling/recording_writer.h"
#include "fairlead/scheduling/replay.h"

namespace fairlead {
namespace {

using testing::HasSubstr;

// Each decision starts what the test says.
class Script final : public SchedulingPolicy {
 public:
  explicit Script(std::deque<SchedulingPlan>& plans) : plans_(plans) {}
  std::string_view Name() const override { return "script"; }
  void Decide(const SystemView& /*view*/, SchedulingPlan& plan) override {
    if (plans_.empty()) return;
    plan = plans_.front();
    plans_.pop_front();
  }

 private:
  std::deque<SchedulingPlan>& plans_;
};

// Tenant a has network x (one segment of 3 us), tenant b network y (1 us, then 2 us) and network z
// (a diamond of four segments of 1 us). All kinds of accelerator take the same time.
class WhyTest : public testing::Test, private ExecutionBackend {
 protected:
  void Build(int accelerators, EngineOptions options = {}) {
    platform_.AddKind("acc", accelerators);
    networks_.push_back(NetworkGraph::Chain("x", 1));
    networks_.push_back(NetworkGraph::Chain("y", 2));
    networks_.push_back(
        *NetworkGraph::Create("z", {{"top", {}}, {"left", {0}}, {"right", {0}}, {"join", {1, 2}}}));
    beliefs_.emplace(networks_, platform_);
    Cost(0, 0, 3000);
    Cost(1, 0, 1000);
    Cost(1, 1, 2000);
    for (std::size_t s = 0; s < 4; ++s) Cost(2, s, 1000);
    beliefs_->SetSwitching(KindId{0}, {Duration{switching_}, 0, 0});
    beliefs_->Seal(networks_);
    const EngineWorld world{
        .platform = &platform_,
        .networks = networks_,
        .beliefs = &*beliefs_,
        .tenants = {{"a"}, {"b"}},
        .agreements = {
            {TenantId{0}, NetworkId{0}}, {TenantId{1}, NetworkId{1}}, {TenantId{1}, NetworkId{2}}}};
    engine_.emplace(world, options, std::make_unique<Script>(plans_), *this);
    RecordingHeader header;
    header.engine = options;
    writer_.emplace(stream_, header, world);
    engine_->set_recorder(&*writer_);
  }
  void Cost(std::size_t network, std::size_t segment, std::int64_t nanoseconds) {
    beliefs_->Set(NetworkId{network}, SegmentId{segment}, KindId{0}, {1, 1},
                  {Duration{nanoseconds}, 0, 0});
  }

  void Now(std::int64_t now) { engine_->Advance(AtNanoseconds(now)); }
  JobId Arrive(RequestNumber number, std::size_t agreement, std::int64_t deadline,
               std::int64_t arrival = -1) {
    const Instant at = arrival < 0 ? engine_->state().now : AtNanoseconds(arrival);
    return engine_
        ->Apply(Arrival{{.number = number,
                         .agreement = AgreementId{agreement},
                         .arrival = at,
                         .deadline = Duration{deadline}}})
        .id;
  }
  void Plan(const std::function<void(SchedulingPlan&)>& make) {
    plans_.emplace_back();
    make(plans_.back());
    engine_->Decide();
    ASSERT_TRUE(engine_->Commit().has_value());
  }
  void Start(JobId job, std::size_t segment, std::size_t accelerator = 0) {
    Plan([&](SchedulingPlan& plan) {
      plan.Start(AcceleratorId{accelerator}, job, SegmentId{segment});
    });
  }
  // What runs on an accelerator.
  AssignmentId Running(std::size_t accelerator = 0) const {
    return engine_->state().accelerators[accelerator].running.front();
  }
  void Finish(std::size_t accelerator = 0) { engine_->Apply(SegmentFinish{Running(accelerator)}); }

  const Recording& Recorded() {
    EXPECT_TRUE(writer_->Close().has_value());
    auto recording = ReadRecording("f.rec", stream_.str());
    EXPECT_TRUE(recording.has_value());
    return recording_.emplace(std::move(*recording));
  }
  RequestAccount Account(RequestNumber request) {
    auto account = AccountFor(Recorded(), request);
    EXPECT_TRUE(account.has_value()) << account.error().message;
    const RequestAccount& a = *account;
    EXPECT_EQ(a.admission + a.wait.time + a.alone + a.switching + a.slowed + a.lost, a.total());
    return a;
  }

  std::int64_t switching_ = 0;
  std::deque<SchedulingPlan> plans_;
  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::optional<CostTable> beliefs_;
  std::ostringstream stream_;
  std::optional<SchedulingEngine> engine_;
  std::optional<RecordingWriter> writer_;
  std::optional<Recording> recording_;

 private:
  void Start(const Assignment& /*assignment*/) override {}
  void Resize(const Assignment& /*assignment*/) override {}
  void Abort(const Assignment& /*assignment*/) override {}
};

// Request 0 of a runs from 0 to 4, a microsecond longer than alone. Request 1 of b arrives at 1,
// runs its first segment from 4 to 5.5, waits for request 2 of a until 8.5, and ends at 10.5.
class TwoTenants : public WhyTest {
 protected:
  void SetUp() override {
    Build(1);
    Now(0);
    const JobId first = Arrive(0, 0, 10'000);
    Start(first, 0);
    Now(1000);
    second_ = Arrive(1, 1, 5000);
    Now(4000);
    Finish();
    Start(second_, 0);
    Now(5000);
    const JobId third = Arrive(2, 0, 10'000);
    Now(5500);
    Finish();
    Start(third, 0);
    Now(8500);
    Finish();
    Start(second_, 1);
    Now(10'500);
    Finish();
  }
  JobId second_;
};

TEST_F(TwoTenants, AreToldApart) {
  const RequestAccount account = Account(1);
  EXPECT_EQ(account.tenant, "b");
  EXPECT_EQ(account.network, "y");
  EXPECT_EQ(account.outcome, Outcome::kMiss);
  EXPECT_EQ(account.arrival, AtNanoseconds(1000));
  EXPECT_EQ(account.deadline, AtNanoseconds(6000));
  EXPECT_EQ(account.first_start, AtNanoseconds(4000));
  EXPECT_EQ(account.end, AtNanoseconds(10'500));
  EXPECT_EQ(account.total(), Duration{9500});
  EXPECT_EQ(account.before_first_start(), Duration{3000});
  EXPECT_EQ(account.wait.time, Duration{6000});
  EXPECT_EQ(account.wait.idle, Duration{0});
  EXPECT_EQ(account.alone, Duration{3000});
  EXPECT_EQ(account.slowed, Duration{500});
  ASSERT_EQ(account.wait.behind.size(), 1U);
  EXPECT_EQ(account.wait.behind[0].tenant, "a");
  EXPECT_EQ(account.wait.behind[0].network, "x");
  EXPECT_EQ(account.wait.behind[0].time, Duration{6000});

  ASSERT_EQ(account.segments.size(), 2U);
  const SegmentAccount& last = account.segments[1];
  EXPECT_EQ(last.accelerator, "acc");
  EXPECT_EQ(last.ready, AtNanoseconds(5500));
  EXPECT_EQ(last.start, AtNanoseconds(8500));
  EXPECT_EQ(last.end, AtNanoseconds(10'500));
  EXPECT_EQ(last.wait.time, Duration{3000});
  ASSERT_EQ(last.wait.behind.size(), 1U);
  EXPECT_EQ(last.wait.behind[0].request, 2U);
  EXPECT_EQ(last.slowed, Duration{0});
}

TEST_F(TwoTenants, AreToldInWords) {
  const auto text = Why(Recorded(), 1);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("request 1: y of b, priority 1\n"));
  EXPECT_THAT(*text, HasSubstr("It missed its deadline by 4.500 us: 63 % of its time it waited, "
                               "mostly behind a's x.\n"));
  EXPECT_EQ(Verdict(*AccountFor(*recording_, 2)),
            "It made its deadline with 6.500 us to spare: 86 % of its time it ran as fast as "
            "alone.");
}

TEST_F(TwoTenants, HaveNoOtherRequests) {
  EXPECT_EQ(Why(Recorded(), 7).error().message,
            "f.rec: no request 7; its 3 requests are numbered 0 to 2");
}

TEST_F(WhyTest, EmptyRecordingsHaveNoRequests) {
  Build(1);
  EXPECT_EQ(Why(Recorded(), 0).error().message, "f.rec: it has no requests");
}

// The diamond on two accelerators: left runs from 1 to 2, right from 1 to 4 (slowed by 2), join
// from 5 to 6 after a microsecond beside an idle accelerator.
TEST_F(WhyTest, FollowsTheCriticalPath) {
  Build(2);
  Now(0);
  const JobId job = Arrive(0, 2, 10'000);
  Start(job, 0);
  Now(1000);
  Finish();
  Plan([&](SchedulingPlan& plan) {
    plan.Start(AcceleratorId{0}, job, SegmentId{1});
    plan.Start(AcceleratorId{1}, job, SegmentId{2});
  });
  Now(2000);
  Finish(0);
  Now(4000);
  Finish(1);
  Now(5000);
  Start(job, 3, 0);
  Now(6000);
  Finish();
  const RequestAccount account = Account(0);
  std::vector<std::string> path;
  for (std::size_t at : account.path) path.push_back(account.segments[at].name);
  EXPECT_THAT(path, testing::ElementsAre("top", "right", "join"));
  EXPECT_EQ(account.segments.size(), 4U);
  EXPECT_EQ(account.alone, Duration{3000});
  EXPECT_EQ(account.slowed, Duration{2000});
  EXPECT_EQ(account.wait.time, Duration{1000});
  EXPECT_EQ(account.wait.idle, Duration{1000});
}

TEST_F(WhyTest, TellsSwitchingFromSlowdown) {
  switching_ = 100;
  Build(1);
  Now(0);
  const JobId job = Arrive(0, 1, 10'000);
  Start(job, 0);
  Now(1150);
  Finish();
  Start(job, 1);
  Now(3150);
  Finish();
  const RequestAccount account = Account(0);
  EXPECT_EQ(account.switching, Duration{100});  // the second segment follows its own network
  EXPECT_EQ(account.slowed, Duration{50});
  EXPECT_EQ(account.alone, Duration{3000});
}

// The try of 2 us fails, the accelerator is away for 3, and the decision takes 1 of the next 2.
TEST_F(WhyTest, CountsFailuresAbsencesAndDecisions) {
  Build(1);
  Now(2000);
  const JobId job = Arrive(0, 0, 20'000, 1500);
  Start(job, 0);
  Now(4000);
  engine_->Apply(AcceleratorLoss{AcceleratorId{0}});
  Now(7000);
  engine_->Apply(AcceleratorReturn{AcceleratorId{0}});
  engine_->Apply(Reservation{AcceleratorId{0}, Duration{1000}});
  Now(8000);
  engine_->Apply(Release{AcceleratorId{0}});
  Now(9000);
  Start(job, 0);
  Now(12'000);
  Finish();
  const RequestAccount account = Account(0);
  EXPECT_EQ(account.admission, Duration{500});
  EXPECT_EQ(account.lost, Duration{2000});
  EXPECT_EQ(account.segments[0].failures, 1);
  EXPECT_EQ(account.wait.time, Duration{5000});
  EXPECT_EQ(account.wait.away, Duration{3000});
  EXPECT_EQ(account.wait.deciding, Duration{1000});
  EXPECT_EQ(account.wait.idle, Duration{1000});
  EXPECT_EQ(account.alone, Duration{3000});
  EXPECT_EQ(Verdict(account),
            "It made its deadline with 9.500 us to spare: 52 % of its time it waited, mostly for "
            "an accelerator that was away.");
}

// It waits from 1 to 3 for either of two accelerators, of which one is busy.
TEST_F(WhyTest, BlamesAllAcceleratorsForARejection) {
  Build(2);
  Now(0);
  Start(Arrive(0, 0, 10'000), 0);
  Now(1000);
  const JobId job = Arrive(1, 1, 10'000);
  Now(3000);
  Plan([&](SchedulingPlan& plan) { plan.Reject(job, Reason::kOverload); });
  const RequestAccount account = Account(1);
  EXPECT_EQ(account.outcome, Outcome::kRejected);
  EXPECT_EQ(account.reason, Reason::kOverload);
  EXPECT_EQ(account.first_start, kNever);
  EXPECT_EQ(account.wait.time, Duration{2000});
  EXPECT_EQ(account.wait.idle, Duration{1000});
  ASSERT_EQ(account.wait.behind.size(), 1U);
  EXPECT_EQ(account.wait.behind[0].time, Duration{1000});
  EXPECT_THAT(Verdict(account), HasSubstr("It was rejected (overload) 2.000 us after its arrival"));
}

TEST_F(WhyTest, TellsOfRequestsThatDidNotEnd) {
  Build(1);
  Now(0);
  const JobId job = Arrive(0, 1, 10'000);
  Start(job, 0);
  Now(1000);
  Finish();
  Start(job, 1);
  Now(1500);
  const RequestAccount account = Account(0);
  EXPECT_FALSE(account.outcome.has_value());
  EXPECT_EQ(account.alone, Duration{1500});
  EXPECT_THAT(ToText(account), HasSubstr("still under way"));
}

// ---- Replay, by the same means -------------------------------------------------------------

TEST_F(TwoTenants, ReplayToTheSameDecisions) {
  const Recording& recording = Recorded();
  std::deque<SchedulingPlan> plans;
  const auto same = Replay(
      recording,
      [&](std::string_view, const Recording& with) -> Result<std::unique_ptr<SchedulingPolicy>> {
        RecordingReader reader(with);
        for (auto step = reader.Next(); (*step)->kind != RecordedStep::Kind::kEnd;
             step = reader.Next())
          if ((*step)->kind == RecordedStep::Kind::kDecision) plans.push_back((*step)->plan);
        return std::make_unique<Script>(plans);
      });
  ASSERT_TRUE(same.has_value()) << same.error().message;
  EXPECT_TRUE(same->identical()) << ToText(*same);
  EXPECT_EQ(same->decisions, 4U);
  EXPECT_EQ(same->entries, 4U);
  EXPECT_EQ(same->inputs, 7U);
  EXPECT_EQ(same->end, AtNanoseconds(10'500));
  EXPECT_EQ(same->policy_now, "script");
}

TEST_F(TwoTenants, ReplayShowsTheFirstDifference) {
  const Recording& recording = Recorded();
  std::deque<SchedulingPlan> plans(4);
  plans[0].Start(AcceleratorId{0}, JobId{0}, SegmentId{0});
  plans[1].Wake(AtNanoseconds(9999));
  const auto report =
      Replay(recording,
             [&](std::string_view, const Recording&) -> Result<std::unique_ptr<SchedulingPolicy>> {
               return std::make_unique<Script>(plans);
             });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  ASSERT_FALSE(report->identical());
  EXPECT_EQ(report->difference->at, AtNanoseconds(4000));
  EXPECT_EQ(report->difference->decision, 2U);
  EXPECT_EQ(report->difference->recorded, "  start request 1 segment 0 on acc\n");
  EXPECT_EQ(report->difference->replayed, "  wake at 9999 ns\n");
  EXPECT_THAT(ToText(*report), HasSubstr("decision 2 at 4000 ns"));
}

TEST_F(TwoTenants, ReplayNeedsAPolicy) {
  const auto report = Replay(
      Recorded(),
      [](std::string_view name, const Recording&) -> Result<std::unique_ptr<SchedulingPolicy>> {
        return Fail("no policy '{}'", name);
      });
  EXPECT_EQ(report.error().message, "f.rec:2: no policy ''");
}

// A wrong plan ends a run. The replay ends in the same way, and says so.
TEST_F(WhyTest, AWrongPlanIsRepeated) {
  Build(1);
  Now(0);
  plans_.emplace_back();
  plans_.back().Start(AcceleratorId{7}, JobId{3}, SegmentId{0});
  const SchedulingPlan wrong = plans_.back();
  engine_->Decide();
  EXPECT_FALSE(engine_->Commit().has_value());
  std::deque<SchedulingPlan> plans = {wrong};
  const auto factory = [&plans](std::string_view,
                                const Recording&) -> Result<std::unique_ptr<SchedulingPolicy>> {
    return std::make_unique<Script>(plans);
  };
  const auto same = Replay(Recorded(), factory);
  ASSERT_TRUE(same.has_value()) << same.error().message;
  EXPECT_TRUE(same->identical());
  EXPECT_THAT(same->stopped, HasSubstr("wrong plan"));
  EXPECT_THAT(ToText(*same), HasSubstr("ends with a wrong plan"));
}

}  // namespace
}  // namespace fairlead
