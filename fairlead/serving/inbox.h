// What other threads have to tell the engine's thread: many put inputs in, one takes them out, all
// that are there at once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/scheduling/input.h"

namespace fairlead {

class Inbox {
 public:
  enum class Answer : std::uint8_t { kTaken, kRefused };

  // Any thread. Refused once the inbox is closed.
  Answer Put(Input input) {
    const std::lock_guard lock(mutex_);
    if (closed_) return Answer::kRefused;
    inputs_.push_back(std::move(input));
    changed_.notify_one();
    return Answer::kTaken;
  }

  // Any thread. Ends the wait of Take, or that of the next one.
  void Wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }

  // Waits until something is there, somebody calls Wake, or the clock has reached `at`. Replaces
  // `batch` by what is there, in the order of its coming; the two vectors only change places.
  void Take(const LiveClock& clock, Instant at, std::vector<Input>& batch) {
    batch.clear();
    std::unique_lock lock(mutex_);
    while (inputs_.empty() && !woken_ && clock.Now() < at) clock.WaitUntil(changed_, lock, at);
    woken_ = false;
    batch.swap(inputs_);
  }

  // Takes what is left and refuses everything from now on.
  void Close(std::vector<Input>& batch) {
    batch.clear();
    const std::lock_guard lock(mutex_);
    closed_ = true;
    batch.swap(inputs_);
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return inputs_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Input> inputs_;
  bool woken_ = false;
  bool closed_ = false;
};

}  // namespace fairlead
