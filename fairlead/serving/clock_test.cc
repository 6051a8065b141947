#include "fairlead/serving/clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace fairlead {
namespace {

TEST(RealClock, CountsFromItsStart) {
  const RealClock early;
  const Instant first = early.Now();
  EXPECT_GE(first, Instant{});
  const RealClock late;
  EXPECT_LE(late.Now(), early.Now());
  EXPECT_LE(first, early.Now());
}

TEST(RealClock, WaitsUntilAnInstant) {
  const RealClock clock;
  std::condition_variable signal;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  const Instant at = clock.Now() + std::chrono::milliseconds(3);
  while (clock.Now() < at) clock.WaitUntil(signal, lock, at);
  EXPECT_TRUE(lock.owns_lock());
  clock.WaitUntil(signal, lock, Instant{});  // long past
}

TEST(RealClock, ASignalEndsTheLongestWait) {
  const RealClock clock;
  std::condition_variable signal;
  std::mutex mutex;
  for (const Instant at : {kNever, kNever - Duration{1}, Instant{kLongestDuration}}) {
    std::unique_lock lock(mutex);
    bool called = false;
    std::thread caller([&] {
      const std::lock_guard hold(mutex);
      called = true;
      signal.notify_one();
    });
    while (!called) clock.WaitUntil(signal, lock, at);
    lock.unlock();
    caller.join();
  }
}

}  // namespace
}  // namespace fairlead
