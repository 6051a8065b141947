// The live world's time, handed in: what execution needs of a clock, without reading one itself.
//
// The one implementation that reads a real clock is serving/clock; tests move theirs by hand. All
// methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <mutex>

#include "fairlead/base/time.h"

namespace fairlead {

class LiveClock {
 public:
  virtual ~LiveClock() = default;

  // Never goes backwards, whichever thread asks.
  virtual Instant Now() const = 0;

  // Waits for the signal, but not beyond `at`; for ever if that is kNever. May return early:
  // callers look again whether what they wait for has come. The lock is held before and after.
  virtual void WaitUntil(std::condition_variable& signal, std::unique_lock<std::mutex>& lock,
                         Instant at) const = 0;
};

}  // namespace fairlead
