// When requests reached this machine, also when nobody here was looking.
//
// Deadlines count from the first byte. Where the system says when it came, that is the time; the
// time of day is only compared with itself. Elsewhere it is the time of reading, or the begin of a
// stall that has just ended: a process that was stopped, or a machine that was, must not make late
// answers look as if they were in time. A thread beats, and knows by it when the process stood
// still. All of it may be called from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"

namespace fairlead {

class StallWatch {
 public:
  using Tell = std::function<void(Duration)>;  // how long it stood still; from any thread

  // Longer than this nothing may stand still.
  static constexpr Duration kStall = std::chrono::milliseconds{500};

  StallWatch(const LiveClock& clock, Tell tell);
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  // When what was just read came. `wall_ns` is what the system says, since 1970; 0: it does not.
  // Never before `earliest`.
  Instant Arrived(std::int64_t wall_ns, Instant earliest) const;

  // For a loop that ticks: the last tick, and now; a gap between them is a stall. Returns now.
  Instant NoteTick(Instant last) const;

  std::uint64_t stalls() const { return stalls_; }
  Duration stalled() const { return Duration{stalled_ns_}; }

 private:
  static constexpr Duration kBeat = std::chrono::milliseconds{50};

  void Beat();
  void Note(Instant from, Instant to) const;
  std::int64_t WallOffset(Instant now) const;

  const LiveClock& clock_;
  const Tell tell_;
  std::atomic<Instant> beat_;
  std::atomic<std::int64_t> offset_;  // of the time of day, at that beat
  mutable std::atomic<Instant> stall_from_{Instant{}};
  mutable std::atomic<Instant> stall_to_{Instant{}};
  mutable std::atomic<std::uint64_t> stalls_ = 0;
  mutable std::atomic<std::int64_t> stalled_ns_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace fairlead
