#include "fairlead/serving/live_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fairlead/execution/testing/manual_clock.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/testing/run_log.h"
#include "fairlead/serving/testing/sample_world.h"
#include "fairlead/simulation/simulator.h"

// Nothing here asserts an upper bound on a real time: a busy machine makes these tests slow, not
// red. Orders are compared where causes fix them, not the speed of threads.

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::SizeIs;

class LiveWorldTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(live_.impossibilities, 0); }

  // What the simulator does with the same requests.
  void Simulate(std::vector<Request> requests, std::unique_ptr<SchedulingPolicy> policy) {
    ListedRequests source(std::move(requests));
    const auto interference = MakeBandwidthSharing(Sharing::kNone, 0);
    SimulationSetup setup;
    setup.world = world_.ForEngine();
    setup.truth = world_.costs.get();
    setup.interference = interference.get();
    setup.requests = &source;
    Simulator simulator(std::move(setup), std::move(policy));
    ASSERT_TRUE(simulator.Run().has_value());
    simulated_energy_ = simulator.totals().energy_pj;
  }

  const SampleWorld world_;
  RunLog live_;
  EndListener listener_{live_};
  RunLog simulated_;
  double simulated_energy_ = 0;
};

// ---- The same engine and policies in real time ---------------------------------------------

struct Pace {
  const char* name;
  std::unique_ptr<SchedulingPolicy> (*policy)(RunLog&);
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
  LiveSetup setup = world_.Live(clock, &source, &listener_);
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
  LiveSetup setup = world_.Live(clock, nullptr, &listener_);
  setup.door = FrontDoor::kOpen;
  LiveWorld live(std::move(setup), Edf(live_));
  ReplyLog replies;
  listener_.then = [&] {
    const std::size_t next = live_.ends().size();
    if (next == kRequests) return live.Close();
    live.Submit(requests[next], replies.ToRemember());
  };
  live.Submit(requests[0], replies.ToRemember());
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_EQ(live_.starts(), simulated_.starts());
  live.Submit(requests[0], replies.ToRemember());
  EXPECT_THAT(replies.words(), ElementsAre("taken", "taken", "taken", "taken", "taken", "closed"));
}

TEST_F(LiveWorldTest, ManyThreadsSubmit) {
  constexpr RequestNumber kThreads = 3;
  constexpr RequestNumber kEach = 10;
  const RealClock clock;
  LiveSetup setup = world_.Live(clock, nullptr, &listener_);
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
  for (const EndedJob& end : live_.ends()) {
    ++ended[end.job.request];
    EXPECT_NE(end.outcome, Outcome::kRejected);
    EXPECT_LE(end.job.arrival, end.at);
  }
  EXPECT_THAT(ended, SizeIs(kThreads * kEach));
  EXPECT_THAT(live_.ends(), SizeIs(kThreads * kEach));
}

// ---- Turns ---------------------------------------------------------------------------------

// Notes which threads end segments, and may throw.
class ThreadListener final : public RunListener {
 public:
  void JobEnded(const Job& /*job*/, Outcome /*outcome*/, Reason /*reason*/,
                Instant /*now*/) override {}
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {
    threads.insert(std::this_thread::get_id());
    if (throws) throw std::runtime_error("no more paper");
  }

  std::set<std::thread::id> threads;
  bool throws = false;
};

TEST_F(LiveWorldTest, WhoCarriesSegmentsOutGoesOnByItself) {
  const RealClock clock;
  ListedRequests source({{.agreement = kChainLeft}});
  ThreadListener listener;
  std::set<std::thread::id> workers;
  LiveSetup setup = world_.Live(clock, &source, &listener);
  setup.work = [&](SegmentRun& run) {
    workers.insert(std::this_thread::get_id());
    return SleepThrough(run);
  };
  LiveWorld live(std::move(setup), Fcfs(live_));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(workers, SizeIs(1));
  EXPECT_EQ(listener.threads, workers);
}

TEST_F(LiveWorldTest, WhatAListenerThrowsOnAnyThreadReachesTheCallerOfRun) {
  const RealClock clock;
  ListedRequests source(Simultaneous(8));
  ThreadListener listener;
  listener.throws = true;
  LiveWorld live(world_.Live(clock, &source, &listener), Fcfs(live_));
  EXPECT_THROW(static_cast<void>(live.Run()), std::runtime_error);
}

TEST_F(LiveWorldTest, ThreadsThatLookOutBeforeTheySleepDoTheSame) {
  const RealClock clock;
  ListedRequests source(Simultaneous(8));
  LiveSetup setup = world_.Live(clock, &source, &listener_);
  setup.spin = milliseconds(1);
  LiveWorld live(std::move(setup), Edf(live_));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(live_.ends(), SizeIs(8));
  EXPECT_THAT(live_.starts(), SizeIs(4 * 3 + 4 * 2));
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
  LiveWorld live(world_.Live(clock, &source, &listener_), Fcfs(live_));
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
  LiveWorld live(world_.Live(clock, &source, &listener_), Fcfs(live_));
  ASSERT_TRUE(live.Run().has_value());
  for (const EndedJob& end : live_.ends()) EXPECT_GE(end.at, end.job.arrival);
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
  LiveSetup setup = world_.Live(clock, &source, &listener_);
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
  LiveSetup setup = world_.Live(clock, &source, &listener_);
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

}  // namespace
}  // namespace fairlead
