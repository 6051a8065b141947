#include "fairlead/serving/live_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "fairlead/execution/manual_clock.h"
#include "fairlead/policies/edf.h"
#include "fairlead/policies/fcfs.h"
#include "fairlead/policies/list_policy.h"
#include "fairlead/serving/clock.h"

// Nothing here asserts an upper bound on a real time: a busy machine makes these tests slow, not
// red. Orders are compared where causes fix them, not the speed of threads.

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr AcceleratorId kLeft{0};
constexpr AcceleratorId kRight{1};
constexpr AgreementId kChainLeft{0};   // of the network that only `left` runs: 1, 2, 1 ms
constexpr AgreementId kChainRight{1};  // of the one that only `right` runs: 2, 1 ms
constexpr AgreementId kDiamond{2};     // of one that runs on both, with two branches: 1 to 3 ms
constexpr AgreementId kInstant{3};     // of one segment that costs nothing, on `left`

// ---- A world for both: two accelerators of different kinds, four networks ------------------

struct World {
  Platform platform;
  std::vector<NetworkGraph> networks;
  std::unique_ptr<CostTable> costs;

  World() {
    platform.AddKind("left", 1);
    platform.AddKind("right", 1);
    networks.push_back(NetworkGraph::Chain("chain-left", 3));
    networks.push_back(NetworkGraph::Chain("chain-right", 2));
    networks.push_back(*NetworkGraph::Create(
        "diamond", {{"first", {}}, {"one", {0}}, {"two", {0}}, {"last", {1, 2}}}));
    networks.push_back(NetworkGraph::Chain("instant", 1));
    costs = std::make_unique<CostTable>(networks, platform);
    SetCosts(0, kLeft, {1000, 2000, 1000});
    SetCosts(1, kRight, {2000, 1000});
    SetCosts(2, kLeft, {1000, 2000, 3000, 3000});
    SetCosts(2, kRight, {2000, 3000, 2000, 1000});
    SetCosts(3, kLeft, {0});
    costs->Seal(networks);
  }

  EngineWorld ForEngine() const {
    EngineWorld world{.platform = &platform, .networks = networks, .beliefs = costs.get()};
    world.tenants.push_back({.name = "t"});
    for (std::size_t n = 0; n < networks.size(); ++n)
      world.agreements.push_back({.tenant = TenantId{0}, .network = NetworkId{n}});
    return world;
  }

 private:
  void SetCosts(std::size_t network, AcceleratorId on, const std::vector<int>& microseconds_each) {
    for (std::size_t s = 0; s < microseconds_each.size(); ++s) {
      costs->Set(NetworkId{network}, SegmentId{s}, platform.accelerators[on.index()].kind, {},
                 {.latency = microseconds(microseconds_each[s]), .energy_pj = 10});
    }
  }
};

std::vector<Request> Simultaneous(std::size_t count) {
  std::vector<Request> requests;
  for (std::size_t i = 0; i < count; ++i) {
    requests.push_back({.number = i,
                        .agreement = i % 2 == 0 ? kChainLeft : kChainRight,
                        .deadline = milliseconds(10 + i * 7 % 11)});
  }
  return requests;
}

// ---- What is watched -----------------------------------------------------------------------

struct Started {
  std::uint32_t accelerator;
  RequestNumber request;
  std::uint32_t segment;
  friend bool operator==(const Started&, const Started&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Started& s) {
    return out << "request " << s.request << " segment " << s.segment << " on " << s.accelerator;
  }
};

struct Ended {
  Job job;
  Outcome outcome;
  Reason reason;
  Instant at;
};

// What a run showed; it may be read while the run goes on.
class Log {
 public:
  void Add(const Started& started) {
    const std::lock_guard lock(mutex_);
    starts_.push_back(started);
  }
  void Add(const Ended& ended) {
    const std::lock_guard lock(mutex_);
    ends_.push_back(ended);
  }
  std::vector<Started> starts() const {
    const std::lock_guard lock(mutex_);
    return starts_;
  }
  std::vector<Ended> ends() const {
    const std::lock_guard lock(mutex_);
    return ends_;
  }
  std::vector<Started> StartsOn(AcceleratorId accelerator) const {
    std::vector<Started> found;
    for (const Started& start : starts()) {
      if (start.accelerator == accelerator.value) found.push_back(start);
    }
    return found;
  }
  void AwaitStarts(std::size_t count) const {
    while (starts().size() < count) std::this_thread::sleep_for(microseconds(100));
  }
  std::atomic<int> arrivals = 0;

 private:
  mutable std::mutex mutex_;
  std::vector<Started> starts_;
  std::vector<Ended> ends_;
};

// Decides as another policy does, notes starts, and sees that nothing is faster than its cost.
class Watched final : public SchedulingPolicy {
 public:
  Watched(std::unique_ptr<SchedulingPolicy> policy, Log& log)
      : policy_(std::move(policy)), log_(log) {}

  std::string_view Name() const override { return policy_->Name(); }
  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    policy_->Decide(view, plan);
  }
  void Observe(const SystemView& view, const Event& event) override {
    policy_->Observe(view, event);
    if (event.kind == EventKind::kSegmentStarted) {
      const Assignment& started = view.assignment(event.assignment);
      log_.Add(Started{started.accelerator.value, view.job(started.jobs.front()).request,
                       started.segment.value});
    } else if (event.kind == EventKind::kSegmentFinished) {
      const Assignment& ended = view.assignment(event.assignment);
      const KindId kind = view.accelerators()[ended.accelerator.index()].kind;
      EXPECT_GE(view.now() - ended.start,
                view.costs().Alone(ended.network, ended.segment, kind)->latency);
    } else if (event.kind == EventKind::kJobArrived) {
      EXPECT_LE(view.job(event.job).arrival, view.now());
      ++log_.arrivals;
    }
  }

 private:
  std::unique_ptr<SchedulingPolicy> policy_;
  Log& log_;
};

class EndListener final : public RunListener {
 public:
  explicit EndListener(Log& log) : log_(log) {}
  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override {
    log_.Add(Ended{job, outcome, reason, now});
    if (then) then();
  }
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {}

  std::function<void()> then;  // after each end

 private:
  Log& log_;
};

std::unique_ptr<SchedulingPolicy> Fcfs(Log& log) {
  return std::make_unique<Watched>(
      MakeListPolicy("fcfs", MakeFirstComeFirstServed(), {}, RandomStream(1, "policy")), log);
}
std::unique_ptr<SchedulingPolicy> Edf(Log& log) {
  return std::make_unique<Watched>(
      MakeListPolicy("edf", MakeEarliestDeadlineFirst(), {}, RandomStream(1, "policy")), log);
}

class Idler final : public SchedulingPolicy {
 public:
  std::string_view Name() const override { return "idler"; }
  void Decide(const SystemView& /*view*/, SchedulingPlan& /*plan*/) override {}
};

class LiveWorldTest : public testing::Test {
 protected:
  LiveSetup LiveOn(const LiveClock& clock, RequestSource* requests = nullptr) {
    return {.world = world_.ForEngine(),
            .truth = world_.costs.get(),
            .clock = &clock,
            .requests = requests,
            .listener = &listener_};
  }

  // What the simulator does with the same requests.
  void Simulate(std::vector<Request> requests, std::unique_ptr<SchedulingPolicy> policy) {
    ListedRequests source(std::move(requests));
    const auto interference = MakeBandwidthSharing(Sharing::kNone, 0);
    Simulator simulator({.world = world_.ForEngine(),
                         .truth = world_.costs.get(),
                         .interference = interference.get(),
                         .requests = &source},
                        std::move(policy));
    ASSERT_TRUE(simulator.Run().has_value());
    simulated_energy_ = simulator.totals().energy_pj;
  }

  const World world_;
  Log live_;
  Log simulated_;
  EndListener listener_{live_};
  std::int64_t simulated_energy_ = 0;
};

// ---- The same engine and policies in real time ---------------------------------------------

struct Pace {
  const char* name;
  std::unique_ptr<SchedulingPolicy> (*policy)(Log&);
  SegmentWork work;
};

class LiveAndSimulated : public LiveWorldTest, public testing::WithParamInterface<Pace> {};

INSTANTIATE_TEST_SUITE_P(, LiveAndSimulated,
                         testing::Values(Pace{"FcfsAsleep", Fcfs, SleepThrough},
                                         Pace{"EdfAsleep", Edf, SleepThrough},
                                         Pace{"EdfSpinning", Edf, SpinThrough}),
                         [](const auto& pace) { return pace.param.name; });

TEST_P(LiveAndSimulated, EachAcceleratorStartsTheSameInTheSameOrder) {
  const std::vector<Request> requests = Simultaneous(16);
  Simulate(requests, GetParam().policy(simulated_));
  ListedRequests source(requests);
  const RealClock clock;
  LiveSetup setup = LiveOn(clock, &source);
  setup.work = GetParam().work;
  LiveWorld live(std::move(setup), GetParam().policy(live_));
  ASSERT_TRUE(live.Run().has_value());

  EXPECT_THAT(live_.starts(), SizeIs(8 * 3 + 8 * 2));
  EXPECT_EQ(live_.StartsOn(kLeft), simulated_.StartsOn(kLeft));
  EXPECT_EQ(live_.StartsOn(kRight), simulated_.StartsOn(kRight));
  EXPECT_THAT(live_.ends(), SizeIs(16));
  EXPECT_TRUE(live.engine().Drained());
  EXPECT_EQ(live.engine().counters().plan_faults, 0);
  EXPECT_EQ(live.totals().energy_pj, simulated_energy_);
  EXPECT_GE(live.totals().end, Instant{milliseconds(8 * 4)});
  EXPECT_GE(live.totals().busy[kLeft.index()], 32e6);
  EXPECT_GE(live.totals().busy[kRight.index()], 24e6);
}

// A client that asks again when it has its answer, so that no order depends on speed.
TEST_F(LiveWorldTest, AClosedLoopStartsTheSameInTheSameOrder) {
  constexpr std::size_t kRequests = 5;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < kRequests; ++i) {
    requests.push_back({.number = i,
                        .agreement = i == 2 ? kChainLeft : kDiamond,
                        .arrival = Instant{milliseconds(100) * i},
                        .deadline = milliseconds(50)});
  }
  Simulate(requests, Edf(simulated_));

  const RealClock clock;
  LiveSetup setup = LiveOn(clock);
  setup.door = FrontDoor::kOpen;
  LiveWorld live(std::move(setup), Edf(live_));
  listener_.then = [&] {
    const std::size_t next = live_.ends().size();
    if (next == kRequests) return live.Close();
    EXPECT_EQ(live.Submit(requests[next]), Inbox::Answer::kTaken);
  };
  EXPECT_EQ(live.Submit(requests[0]), Inbox::Answer::kTaken);
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_EQ(live_.starts(), simulated_.starts());
  EXPECT_EQ(live.Submit(requests[0]), Inbox::Answer::kRefused);
}

TEST_F(LiveWorldTest, ManyThreadsSubmit) {
  constexpr RequestNumber kThreads = 3;
  constexpr RequestNumber kEach = 10;
  const RealClock clock;
  LiveSetup setup = LiveOn(clock);
  setup.door = FrontDoor::kOpen;
  LiveWorld live(std::move(setup), Fcfs(live_));
  std::vector<std::thread> clients;
  for (RequestNumber t = 0; t < kThreads; ++t) {
    clients.emplace_back([&live, t] {
      for (RequestNumber i = 0; i < kEach; ++i) {
        const AgreementId agreement = i % 5 == 0 ? kDiamond : kInstant;
        live.Submit({.number = t * kEach + i, .agreement = agreement, .arrival = kNever});
      }
    });
  }
  std::thread closer([&] {
    for (std::thread& client : clients) client.join();
    live.Close();
  });
  ASSERT_TRUE(live.Run().has_value());
  closer.join();
  std::map<RequestNumber, int> ended;
  for (const Ended& end : live_.ends()) {
    ++ended[end.job.request];
    EXPECT_NE(end.outcome, Outcome::kRejected);
    EXPECT_LE(end.job.arrival, end.at);
  }
  EXPECT_THAT(ended, SizeIs(kThreads * kEach));
  EXPECT_THAT(live_.ends(), SizeIs(kThreads * kEach));
}

// ---- Time ----------------------------------------------------------------------------------

TEST_F(LiveWorldTest, ALateLoopDoesNotMoveArrivals) {
  ManualClock clock;
  clock.Advance(milliseconds(50));
  ListedRequests source(
      {{.agreement = kInstant, .arrival = Instant{milliseconds(10)}, .deadline = milliseconds(30)},
       {.agreement = kInstant,
        .arrival = Instant{milliseconds(20)},
        .deadline = milliseconds(30)}});
  LiveWorld live(LiveOn(clock, &source), Fcfs(live_));
  ASSERT_TRUE(live.Run().has_value());
  ASSERT_THAT(live_.ends(), SizeIs(2));
  EXPECT_EQ(live_.ends()[0].job.arrival, Instant{milliseconds(10)});
  EXPECT_EQ(live_.ends()[0].outcome, Outcome::kMiss);
  EXPECT_EQ(live_.ends()[1].outcome, Outcome::kHit);
  EXPECT_EQ(live_.ends()[1].at, Instant{milliseconds(50)});
}

TEST_F(LiveWorldTest, RequestsAreNotReleasedEarly) {
  const RealClock clock;
  ListedRequests source({{.agreement = kInstant, .arrival = clock.Now() + milliseconds(4)},
                         {.agreement = kInstant, .arrival = clock.Now() + milliseconds(7)}});
  LiveWorld live(LiveOn(clock, &source), Fcfs(live_));
  ASSERT_TRUE(live.Run().has_value());
  for (const Ended& end : live_.ends()) EXPECT_GE(end.at, end.job.arrival);
  EXPECT_THAT(live_.ends(), SizeIs(2));
}

class DecisionTimes final : public RunRecorder {
 public:
  void Advanced(Instant now) override { now_ = now; }
  void Applied(const Input& /*input*/) override {}
  void Decided(const SchedulingPlan& /*plan*/) override { times.push_back(now_); }
  void Committed() override {}
  std::vector<Instant> times;

 private:
  Instant now_{};
};

TEST_F(LiveWorldTest, DecisionsWithAPeriodFallOnMultiplesOfIt) {
  const RealClock clock;
  ListedRequests source(Simultaneous(8));
  DecisionTimes decisions;
  LiveSetup setup = LiveOn(clock, &source);
  setup.engine.period = milliseconds(3);
  setup.recorder = &decisions;
  LiveWorld live(std::move(setup), Edf(live_));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(live_.ends(), SizeIs(8));
  EXPECT_THAT(live_.starts(), SizeIs(4 * 3 + 4 * 2));
  for (const Instant at : decisions.times)
    EXPECT_EQ(at.time_since_epoch() % milliseconds(3), Duration::zero());
}

TEST_F(LiveWorldTest, MissedEpochsAreNotMadeUpFor) {
  ManualClock clock;
  clock.Advance(milliseconds(23));
  ListedRequests source({{.agreement = kInstant, .arrival = Instant{milliseconds(1)}}});
  DecisionTimes decisions;
  LiveSetup setup = LiveOn(clock, &source);
  setup.engine.period = milliseconds(5);
  setup.recorder = &decisions;
  LiveWorld live(std::move(setup), Fcfs(live_));
  std::thread mover([&] {
    while (live_.arrivals == 0) std::this_thread::sleep_for(microseconds(100));
    clock.Advance(milliseconds(14));  // over the epochs 25, 30 and 35
  });
  ASSERT_TRUE(live.Run().has_value());
  mover.join();
  EXPECT_THAT(decisions.times, ElementsAre(Instant{milliseconds(35)}));
}

// ---- What goes wrong -----------------------------------------------------------------------

TEST_F(LiveWorldTest, AnAcceleratorLeavesAndReturns) {
  ManualClock clock;
  LiveSetup setup = LiveOn(clock);
  setup.door = FrontDoor::kOpen;
  LiveWorld live(std::move(setup), Fcfs(live_));
  live.Submit({.number = 7, .agreement = kChainLeft, .deadline = milliseconds(20)});
  std::thread outside([&] {
    live_.AwaitStarts(1);
    live.Post(AcceleratorLoss{kLeft});
    live.Submit({.number = 8, .agreement = kChainRight, .deadline = milliseconds(20)});
    live_.AwaitStarts(2);
    live.Post(AcceleratorReturn{kLeft});
    live_.AwaitStarts(3);
    live.Close();
    while (live_.ends().size() < 2) {
      clock.Advance(milliseconds(1));
      std::this_thread::sleep_for(microseconds(200));
    }
  });
  ASSERT_TRUE(live.Run().has_value());
  outside.join();
  EXPECT_THAT(live_.StartsOn(kLeft),
              ElementsAre(Started{0, 7, 0}, Started{0, 7, 0}, Started{0, 7, 1}, Started{0, 7, 2}));
  EXPECT_THAT(live_.StartsOn(kRight), ElementsAre(Started{1, 8, 0}, Started{1, 8, 1}));
  EXPECT_THAT(live_.ends(), SizeIs(2));
}

TEST_F(LiveWorldTest, TheTimelineHappensInRealTime) {
  const RealClock clock;
  const AgreementId newcomer{world_.networks.size()};
  ListedRequests source(
      {{.number = 1, .agreement = kChainLeft},
       {.number = 2, .agreement = newcomer, .arrival = Instant{milliseconds(3)}}});
  LiveSetup setup = LiveOn(clock, &source);
  setup.timeline = {
      {Instant{microseconds(500)}, AcceleratorLoss{kLeft}},
      {Instant{milliseconds(3)}, TenantJoin{{.name = "new"}}},
      {Instant{milliseconds(3)},
       AgreementStart{{.tenant = TenantId{1}, .network = NetworkId{kChainRight.value}}}},
      {Instant{milliseconds(8)}, AcceleratorReturn{kLeft}},
      {Instant{std::chrono::hours(1)}, TenantLeave{TenantId{1}}}};  // nobody waits for this
  LiveWorld live(std::move(setup), Fcfs(live_));
  ASSERT_TRUE(live.Run().has_value());
  ASSERT_THAT(live_.ends(), SizeIs(2));
  for (const Ended& end : live_.ends()) {
    EXPECT_GE(end.at, Instant{end.job.request == 1 ? milliseconds(8 + 4) : milliseconds(3 + 3)});
  }
}

TEST_F(LiveWorldTest, AThrowingSegmentRunsAgain) {
  const RealClock clock;
  ListedRequests source(Simultaneous(4));
  std::atomic<int> calls = 0;
  LiveSetup setup = LiveOn(clock, &source);
  setup.work = [&](SegmentRun& run) {
    if (++calls == 2) throw std::runtime_error("kernel panic");
    return SleepThrough(run);
  };
  LiveWorld live(std::move(setup), Edf(live_));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(live_.starts(), SizeIs(2 * 3 + 2 * 2 + 1));
  EXPECT_THAT(live_.ends(), SizeIs(4));
  EXPECT_EQ(live.engine().counters().segments_finished, 10);
}

TEST_F(LiveWorldTest, WhatAlwaysFailsIsGivenUp) {
  const RealClock clock;
  ListedRequests source({{.agreement = kInstant}});
  LiveSetup setup = LiveOn(clock, &source);
  setup.work = [](SegmentRun& /*run*/) -> WorkResult { throw std::runtime_error("no"); };
  setup.engine.failure_limit = 2;
  LiveWorld live(std::move(setup), Edf(live_));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(live_.starts(), SizeIs(3));
  ASSERT_THAT(live_.ends(), SizeIs(1));
  EXPECT_EQ(live_.ends()[0].outcome, Outcome::kDropped);
  EXPECT_EQ(live_.ends()[0].reason, Reason::kFailed);
}

TEST_F(LiveWorldTest, JobsWithoutAnAcceleratorAreCancelled) {
  const RealClock clock;
  ListedRequests source({{.agreement = kChainLeft}, {.agreement = kChainRight}});
  LiveSetup setup = LiveOn(clock, &source);
  setup.work = [](SegmentRun& run) {
    if (run.assignment().accelerator == kLeft) return WorkResult::kAcceleratorLost;
    return SleepThrough(run);
  };
  LiveWorld live(std::move(setup), Fcfs(live_));
  ASSERT_TRUE(live.Run().has_value());
  ASSERT_THAT(live_.ends(), SizeIs(2));
  EXPECT_EQ(live_.ends()[1].reason, Reason::kCancelled);
  EXPECT_EQ(live_.ends()[1].outcome, Outcome::kDropped);
}

TEST_F(LiveWorldTest, APolicyThatLetsJobsWaitForNothingIsAnError) {
  const RealClock clock;
  ListedRequests source(Simultaneous(3));
  LiveWorld live(LiveOn(clock, &source), std::make_unique<Idler>());
  const Status status = live.Run();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message,
            "policy idler left 3 jobs waiting although nothing keeps them from running");
  EXPECT_TRUE(live.engine().Drained());
}

TEST_F(LiveWorldTest, AWrongEntryIsSkippedAndCounted) {
  class Confused final : public SchedulingPolicy {
   public:
    explicit Confused(std::unique_ptr<SchedulingPolicy> policy) : policy_(std::move(policy)) {}
    std::string_view Name() const override { return "confused"; }
    void Decide(const SystemView& view, SchedulingPlan& plan) override {
      plan.Start(AcceleratorId{99}, JobId{0}, SegmentId{0});
      policy_->Decide(view, plan);
    }

   private:
    std::unique_ptr<SchedulingPolicy> policy_;
  };
  const RealClock clock;
  ListedRequests skipping({{.agreement = kInstant}});
  LiveWorld live(LiveOn(clock, &skipping), std::make_unique<Confused>(Fcfs(live_)));
  EXPECT_TRUE(live.Run().has_value());
  EXPECT_GT(live.engine().counters().plan_faults, 0);

  ListedRequests stopping({{.agreement = kInstant}});
  LiveSetup setup = LiveOn(clock, &stopping);
  setup.engine.wrong_plan = WrongPlan::kStop;
  LiveWorld strict(std::move(setup), std::make_unique<Confused>(Fcfs(live_)));
  EXPECT_FALSE(strict.Run().has_value());
  EXPECT_TRUE(strict.engine().Drained());
}

TEST_F(LiveWorldTest, StopEndsTheRunAndCancelsWhatIsLeft) {
  const ManualClock clock;  // stands still: nothing ever finishes
  std::vector<Request> requests = Simultaneous(6);
  requests.push_back({.agreement = kInstant, .arrival = Instant{std::chrono::hours(1)}});
  ListedRequests source(requests);
  LiveWorld live(LiveOn(clock, &source), Fcfs(live_));
  std::thread stopper([&] {
    live_.AwaitStarts(2);
    live.Stop();
  });
  ASSERT_TRUE(live.Run().has_value());
  stopper.join();
  std::map<Outcome, int> outcomes;
  for (const Ended& end : live_.ends()) {
    EXPECT_EQ(end.reason, Reason::kCancelled);
    ++outcomes[end.outcome];
  }
  EXPECT_EQ(outcomes[Outcome::kDropped], 2);
  EXPECT_EQ(outcomes[Outcome::kRejected], 4);
  EXPECT_TRUE(live.engine().Drained());
  EXPECT_EQ(live.Post(AcceleratorLoss{kLeft}), Inbox::Answer::kRefused);
}

TEST_F(LiveWorldTest, StopEndsTheRequestsThatAreStillInTheInbox) {
  const RealClock clock;
  LiveSetup setup = LiveOn(clock);
  setup.door = FrontDoor::kOpen;
  LiveWorld live(std::move(setup), Fcfs(live_));
  EXPECT_EQ(live.Submit({.number = 5, .agreement = kChainLeft}), Inbox::Answer::kTaken);
  live.Stop();
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(live_.starts(), IsEmpty());
  ASSERT_THAT(live_.ends(), SizeIs(1));
  EXPECT_EQ(live_.ends()[0].outcome, Outcome::kRejected);
  EXPECT_EQ(live.Submit({.number = 6, .agreement = kChainLeft}), Inbox::Answer::kRefused);
}

// ---- Replay --------------------------------------------------------------------------------

// A plan as numbers that can be compared.
std::vector<std::uint64_t> Numbers(const SchedulingPlan& plan) {
  std::vector<std::uint64_t> numbers;
  for (const PlanEntry& entry : plan.entries()) {
    numbers.insert(numbers.end(), {static_cast<std::uint64_t>(entry.verb), entry.accelerator.value,
                                   entry.segment.value, entry.assignment.slot});
    for (JobId job : plan.JobsOf(entry)) numbers.push_back(job.value);
  }
  return numbers;
}

// Keeps a run in memory, and feeds an engine with it.
class Recording final : public RunRecorder {
 public:
  void Advanced(Instant now) override { steps_.emplace_back(now); }
  void Applied(const Input& input) override { steps_.emplace_back(input); }
  void Decided(const SchedulingPlan& plan) override {
    steps_.emplace_back(kDecide);
    plans.push_back(Numbers(plan));
  }
  void Committed() override { steps_.emplace_back(kCommit); }

  void Replay(SchedulingEngine& engine) const {
    for (const Step& step : steps_) {
      if (const Instant* now = std::get_if<Instant>(&step)) {
        engine.Advance(*now);
      } else if (const Input* input = std::get_if<Input>(&step)) {
        engine.Apply(*input);
      } else if (std::get<Call>(step) == kDecide) {
        engine.Decide();
      } else {
        ASSERT_TRUE(engine.Commit().has_value());
      }
    }
  }

  std::vector<std::vector<std::uint64_t>> plans;

 private:
  enum Call : std::uint8_t { kDecide, kCommit };
  using Step = std::variant<Instant, Input, Call>;
  std::vector<Step> steps_;
};

class NoBackend final : public ExecutionBackend {
 public:
  void Start(const Assignment& /*assignment*/) override {}
  void Resize(const Assignment& /*assignment*/) override {}
  void Abort(const Assignment& /*assignment*/) override {}
};

TEST_F(LiveWorldTest, ARecordedRunReplaysDecisionForDecision) {
  const RealClock clock;
  std::vector<Request> requests = Simultaneous(10);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].arrival = Instant{microseconds(700) * i};
    if (i % 3 == 0) requests[i].agreement = kDiamond;
  }
  ListedRequests source(requests);
  Recording recording;
  std::atomic<int> calls = 0;
  LiveSetup setup = LiveOn(clock, &source);
  setup.recorder = &recording;
  setup.timeline = {{Instant{milliseconds(4)}, AcceleratorLoss{kRight}},
                    {Instant{milliseconds(9)}, AcceleratorReturn{kRight}}};
  setup.work = [&](SegmentRun& run) {
    if (++calls % 7 == 0) throw std::runtime_error("now and then");
    return SleepThrough(run);
  };
  const EngineOptions options = setup.engine;
  LiveWorld live(std::move(setup), Edf(live_));
  ASSERT_TRUE(live.Run().has_value());

  Log replayed;
  NoBackend backend;
  Recording again;
  SchedulingEngine engine(world_.ForEngine(), options, Edf(replayed), backend);
  engine.set_recorder(&again);
  recording.Replay(engine);
  EXPECT_EQ(replayed.starts(), live_.starts());
  EXPECT_EQ(again.plans, recording.plans);
  EXPECT_GE(recording.plans.size(), requests.size());
  EXPECT_TRUE(engine.Drained());
}

}  // namespace
}  // namespace fairlead
