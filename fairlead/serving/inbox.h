// What other threads have to tell the engine's thread: many put letters in, one takes them out, all
// that are there at once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/scheduling/checked_inputs.h"
#include "fairlead/scheduling/input.h"

namespace fairlead {

// What became of an input: what it has made, or why it was refused.
using InputAnswer = tl::expected<MadeByInput, Refusal>;
using InputReply = std::function<void(const InputAnswer&)>;

struct Letter {
  Input input;
  InputReply reply{};  // to its sender; may be empty
};

class Inbox {
 public:
  // Any thread. Hands the letter back once the inbox is closed.
  [[nodiscard]] std::optional<Letter> Put(Letter letter) {
    const std::lock_guard lock(mutex_);
    if (closed_) return letter;
    letters_.push_back(std::move(letter));
    changed_.notify_one();
    return std::nullopt;
  }

  // Any thread. Ends the wait of Take, or that of the next one.
  void Wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }

  // Waits until something is there, somebody calls Wake, or the clock has reached `at`. Replaces
  // `batch` by what is there, in the order of its coming; the two vectors only change places.
  void Take(const LiveClock& clock, Instant at, std::vector<Letter>& batch) {
    batch.clear();
    std::unique_lock lock(mutex_);
    while (letters_.empty() && !woken_ && clock.Now() < at) clock.WaitUntil(changed_, lock, at);
    woken_ = false;
    batch.swap(letters_);
  }

  // Takes what is left and refuses everything from now on.
  void Close(std::vector<Letter>& batch) {
    batch.clear();
    const std::lock_guard lock(mutex_);
    closed_ = true;
    batch.swap(letters_);
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return letters_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Letter> letters_;
  bool woken_ = false;
  bool closed_ = false;
};

}  // namespace fairlead
