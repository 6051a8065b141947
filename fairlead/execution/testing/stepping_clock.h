// A clock on which time passes because somebody waits for it: each wait for an instant moves it on
// by a small step. Whoever computes loses no time, so that a live run takes as long as its threads
// need to take turns, however long its schedule is.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "fairlead/execution/live_clock.h"

namespace fairlead {

class SteppingClock final : public LiveClock {
 public:
  explicit SteppingClock(Duration step) : step_(step) {}

  Instant Now() const override { return now_; }

  void WaitUntil(std::condition_variable& signal, std::unique_lock<std::mutex>& lock,
                 Instant at) const override {
    if (at == kNever) return signal.wait(lock);
    Instant now = now_;
    while (now < at && !now_.compare_exchange_weak(now, std::min(now + step_, at))) {
    }
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }

 private:
  const Duration step_;
  mutable std::atomic<Instant> now_ = Instant{};
};

}  // namespace fairlead
