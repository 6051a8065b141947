// Real time on the schedule's axis: one of the two files in the tree that read a real clock.
//
// Instant 0 is the moment at which the clock was made. The axis is the machine's steady clock, so
// nobody who sets the time of day moves a deadline.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"

namespace fairlead {

// The time of day, for logs: nanoseconds since 1970. It may jump; nothing is scheduled by it.
std::int64_t WallNanoseconds();

class RealClock final : public LiveClock {
 public:
  RealClock();  // starts at once

  Instant Now() const override;
  void WaitUntil(std::condition_variable& signal, std::unique_lock<std::mutex>& lock,
                 Instant at) const override;

 private:
  std::int64_t start_;  // nanoseconds of the steady clock
};

}  // namespace fairlead
