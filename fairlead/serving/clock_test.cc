#include "fairlead/serving/clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace fairlead {
namespace {

// More than that is asking again and again instead of waiting; a wait may end by itself now and
// then.
constexpr int kFewWaits = 3;

TEST(RealClock, CountsFromItsStart) {
  const RealClock early;
  const Instant first = early.Now();
  EXPECT_GE(first, Instant{});
  const RealClock late;
  const Instant since_late = late.Now();
  EXPECT_LE(since_late, early.Now());
  EXPECT_LE(first, early.Now());
}

TEST(RealClock, WaitsUntilAnInstant) {
  const RealClock clock;
  std::condition_variable signal;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  const Instant at = clock.Now() + std::chrono::milliseconds(3);
  int waits = 0;
  for (; clock.Now() < at; ++waits) clock.WaitUntil(signal, lock, at);
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_LE(waits, kFewWaits);
  clock.WaitUntil(signal, lock, Instant{});  // long past
}

TEST(RealClock, ASignalEndsTheLongestWait) {
  const RealClock clock;
  std::condition_variable signal;
  std::mutex mutex;
  for (const Instant at : {kNever, kNever - Duration{1}, Instant{kLongestDuration}}) {
    std::unique_lock lock(mutex);
    bool called = false;
    std::atomic<int> waits = 0;
    std::thread caller([&] {
      while (waits == 0) std::this_thread::yield();
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      const std::lock_guard hold(mutex);
      called = true;
      signal.notify_one();
    });
    while (!called) {
      ++waits;
      clock.WaitUntil(signal, lock, at);
    }
    lock.unlock();
    caller.join();
    EXPECT_LE(waits, kFewWaits);
  }
}

}  // namespace
}  // namespace fairlead
