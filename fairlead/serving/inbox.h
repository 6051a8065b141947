// What threads have to tell the engine: many put messages in, whoever has the engine takes them
// out, all that are there at once.
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

struct Message {
  Input input;
  InputReply reply{};  // to its sender; may be empty
};

class Inbox {
 public:
  // Any thread. Hands the message back once the inbox is closed. Ends the wait of Wait, or that of
  // the next one.
  [[nodiscard]] std::optional<Message> Put(Message message) {
    const std::lock_guard lock(mutex_);
    if (closed_) return message;
    messages_.push_back(std::move(message));
    woken_ = true;
    changed_.notify_one();
    return std::nullopt;
  }

  // The same, but nobody is woken: whoever puts it in sees to it that it is taken out.
  [[nodiscard]] std::optional<Message> PutQuietly(Message message) {
    const std::lock_guard lock(mutex_);
    if (closed_) return message;
    messages_.push_back(std::move(message));
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
  void Take(std::vector<Message>& batch) {
    batch.clear();
    const std::lock_guard lock(mutex_);
    batch.swap(messages_);
  }

  // Takes what is left and refuses everything from now on.
  void Close(std::vector<Message>& batch) {
    batch.clear();
    const std::lock_guard lock(mutex_);
    closed_ = true;
    batch.swap(messages_);
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return messages_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Message> messages_;
  bool woken_ = false;
  bool closed_ = false;
};

}  // namespace fairlead
