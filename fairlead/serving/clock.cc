#include "fairlead/serving/clock.h"

#include <algorithm>
#include <chrono>

namespace fairlead {
namespace {

using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

std::int64_t SteadyNanoseconds() {
  return SteadyTime(std::chrono::steady_clock::now()).time_since_epoch().count();
}

}  // namespace

std::int64_t WallNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

RealClock::RealClock() : start_(SteadyNanoseconds()) {}

Instant RealClock::Now() const { return AtNanoseconds(SteadyNanoseconds() - start_); }

void RealClock::WaitUntil(std::condition_variable& signal, std::unique_lock<std::mutex>& lock,
                          Instant at) const {
  if (at == kNever) return signal.wait(lock);
  // Waking early is allowed, overflowing is not.
  const Duration since_start = std::min(at.time_since_epoch(), kLongestDuration);
  signal.wait_until(lock, SteadyTime(Duration{start_} + since_start));
}

}  // namespace fairlead
