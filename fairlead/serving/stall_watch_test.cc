#include "fairlead/serving/stall_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "fairlead/serving/clock.h"

namespace fairlead {
namespace {

using std::chrono::milliseconds;

// Time that a test moves by hand; the thread that beats waits in vain.
class HandClock final : public LiveClock {
 public:
  Instant Now() const override { return now; }
  void WaitUntil(std::condition_variable& signal, std::unique_lock<std::mutex>& lock,
                 Instant) const override {
    signal.wait(lock);
  }
  std::atomic<Instant> now{Instant{milliseconds{1000}}};
};

TEST(StallWatchTest, WhatTheSystemSaysCounts) {
  const RealClock clock;
  const StallWatch watch(clock, {});
  const Instant before = clock.Now();
  const Instant came = watch.Arrived(WallNanoseconds() - 30'000'000, Instant{} - milliseconds{999});
  EXPECT_LE(came, before - milliseconds{25});
  EXPECT_GE(came, before - milliseconds{40});
  // But not before there was anybody to send it, and never in the future.
  EXPECT_EQ(watch.Arrived(WallNanoseconds() - 30'000'000'000, before), before);
  const Instant ahead = watch.Arrived(WallNanoseconds() + 30'000'000'000, Instant{});
  EXPECT_LE(ahead, clock.Now());
}

TEST(StallWatchTest, WithoutThatTimeStandsStillWithTheServer) {
  HandClock clock;
  std::vector<Duration> told;
  const StallWatch watch(clock, [&](Duration time) { told.push_back(time); });
  EXPECT_EQ(watch.Arrived(0, Instant{}), clock.now.load());
  const Instant before = clock.now;
  clock.now = before + milliseconds{30'000};
  EXPECT_EQ(watch.Arrived(0, Instant{}), before);  // nobody has noticed as yet
  const Instant last = watch.NoteTick(before);
  EXPECT_EQ(watch.NoteTick(before), last);  // another loop notices the same stall
  EXPECT_EQ(told, std::vector<Duration>{milliseconds{30'000}});
  EXPECT_EQ(watch.stalls(), 1U);
  EXPECT_EQ(watch.stalled(), milliseconds{30'000});
  EXPECT_EQ(watch.Arrived(0, last - milliseconds{10}), last - milliseconds{10});
}

TEST(StallWatchTest, TicksInTimeAreNone) {
  HandClock clock;
  const StallWatch watch(clock, {});
  Instant last = watch.NoteTick(Instant{});
  for (int i = 0; i < 10; ++i) {
    clock.now = clock.now.load() + milliseconds{400};
    last = watch.NoteTick(last);
  }
  EXPECT_EQ(watch.stalls(), 0U);
}

}  // namespace
}  // namespace fairlead
