// What threads have to tell the engine: many put letters in, whoever has the engine takes them out,
// all that are there at once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/scheduling/input.h"
#include "fairlead/serving/client_change.h"

namespace fairlead {

struct Letter {
  Input input;
  InputReply reply{};  // to its sender; may be empty
};

class Inbox {
 public:
  // Any thread. Hands the letter back once the inbox is closed. Ends the wait of Wait, or that of
  // the next one.
  [[nodiscard]] std::optional<Letter> Put(Letter letter) {
    const std::lock_guard lock(mutex_);
    if (closed_) return letter;
    letters_.push_back(std::move(letter));
    woken_ = true;
    changed_.notify_one();
    return std::nullopt;
  }

  // The same, but nobody is woken: whoever puts it in sees to it that it is taken out.
  [[nodiscard]] std::optional<Letter> PutQuietly(Letter letter) {
    const std::lock_guard lock(mutex_);
    if (closed_) return letter;
    letters_.push_back(std::move(letter));
    return std::nullopt;
  }

  // Any thread. Ends the wait of Wait, or that of the next one.
  void Wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }

  // One thread. Waits until somebody calls Put or Wake, or the clock has reached `at`.
  void Wait(const LiveClock& clock, Instant at) {
    std::unique_lock lock(mutex_);
    while (!woken_ && clock.Now() < at) clock.WaitUntil(changed_, lock, at);
    woken_ = false;
  }

  // One thread at a time. Replaces `batch` by what is there, in the order of its coming; the two
  // vectors only change places.
  void Take(std::vector<Letter>& batch) {
    batch.clear();
    const std::lock_guard lock(mutex_);
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
