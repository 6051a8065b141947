// A clock that a test moves by hand, so that what depends on time does not depend on how busy the
// machine is.
#pragma once

#include <atomic>
#include <chrono>

#include "fairlead/execution/live_clock.h"

namespace fairlead {

class ManualClock final : public LiveClock {
 public:
  Instant Now() const override { return now_; }

  // Waiters do not hear that time has moved; they look again every millisecond.
  void WaitUntil(std::condition_variable& signal, std::unique_lock<std::mutex>& lock,
                 Instant at) const override {
    if (Now() < at) signal.wait_for(lock, std::chrono::milliseconds(1));
  }

  // Never backwards; one thread moves the clock.
  void Advance(Duration by) { now_ = now_.load() + by; }

 private:
  std::atomic<Instant> now_ = Instant{};
};

}  // namespace fairlead
