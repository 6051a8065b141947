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
  // A look at the clock may take time too: whatever is measured by it then takes some.
  explicit SteppingClock(Duration step, Duration look = {}) : step_(step), look_(look) {}

  Instant Now() const override {
    Instant now = now_;
    while (look_ > Duration::zero() && !now_.compare_exchange_weak(now, now + look_)) {
    }
    return now;
  }

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
  const Duration look_;
  mutable std::atomic<Instant> now_ = Instant{};
};

}  // namespace fairlead
