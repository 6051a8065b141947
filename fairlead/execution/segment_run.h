// One segment on the thread that carries it out, and what that thread does: sleep or spin for the
// segment's cost.
//
// Sleeping shows that the engine keeps up in real time and takes next to no processor; spinning
// also keeps the processor as busy as a real segment would, and wants a core per busy accelerator.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/scheduling/assignment.h"

namespace fairlead {

// The time of one segment, from Begin until it has lasted as long as it costs. The engine's thread
// resizes and aborts it while another one waits; all methods are thread-safe.
class SegmentRun {
 public:
  // The clock is not owned and outlives the run.
  SegmentRun(const Assignment& assignment, Duration latency, const LiveClock& clock);

  // As it was when it started; only its units may have changed since.
  const Assignment& assignment() const { return assignment_; }

  // The segment takes its time from now on, not from when it was handed over: the way to the
  // thread is part of what a live world costs.
  void Begin();
  // The share that is left takes as long as it does with the new units.
  void Resize(int units, Duration latency);
  void Abort();

  // Its time is up, or it was aborted.
  bool Over() const { return clock_.Now() >= due_.load(); }
  bool aborted() const { return aborted_; }
  // The same, to be looked at by those who know nothing of segments.
  const std::atomic<bool>& stop() const { return aborted_; }
  // Sleeps until it is over.
  void Wait();
  // Units times nanoseconds since Begin.
  double Occupancy() const;

 private:
  static constexpr Instant kAborted = Instant::min();

  const Assignment assignment_;
  const LiveClock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Written under the lock; those who spin or compute read them without.
  std::atomic<bool> aborted_ = false;
  std::atomic<Instant> due_ = kNever;  // kAborted: over at once
  Duration latency_;                   // as a whole
  int units_;
  bool begun_ = false;
  Instant since_{};       // Begin, or the last Resize after it
  double occupancy_ = 0;  // until then
};

enum class WorkResult : std::uint8_t { kDone, kSegmentFailed, kAcceleratorLost };

// What a thread does for a segment. Returns soon after the run was aborted; then the result does
// not matter. An exception counts as kSegmentFailed.
using SegmentWork = std::function<WorkResult(SegmentRun&)>;

WorkResult SleepThrough(SegmentRun& run);
WorkResult SpinThrough(SegmentRun& run);

}  // namespace fairlead
