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

// The time of one segment, from Begin until it has lasted as long as it costs. Whoever has the
// engine resizes and aborts it while another one waits; all methods are thread-safe.
class SegmentRun {
 public:
  // The clock is not owned and outlives the run.
  SegmentRun(const Assignment& assignment, Duration latency, const LiveClock& clock);

  // For another segment, once nobody looks at this one any more.
  void Renew(const Assignment& assignment, Duration latency);

  // As it was when it started; only its units may have changed since.
  const Assignment& assignment() const { return assignment_; }

  // The segment takes its time from now on, not from when it was handed over: the way to the
  // thread is part of what a live world costs.
  void Begin();
  // All of it would now take so long: the share that is left does so in proportion.
  void Resize(Duration latency);
  void Abort();
  // Nobody wants it any more: it ends as soon as it can, and reports its end.
  void Cut();

  // Its time is up, or it was stopped.
  bool Over() const { return clock_.Now() >= due_.load(); }
  bool aborted() const { return aborted_; }
  // It was aborted or cut; to be looked at by those who know nothing of segments.
  const std::atomic<bool>& stop() const { return stopped_; }
  // Sleeps until it is over.
  void Wait();

 private:
  static constexpr Instant kStopped = Instant::min();

  void Stop();  // with the lock

  Assignment assignment_;
  const LiveClock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Written under the lock; those who spin or compute read them without.
  std::atomic<bool> aborted_ = false;
  std::atomic<bool> stopped_ = false;
  std::atomic<Instant> due_ = kNever;  // kStopped: over at once
  Duration latency_;                   // as a whole
  bool begun_ = false;
};

// Tells the processor that a thread is looking out for something.
inline void PauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

enum class WorkResult : std::uint8_t { kDone, kSegmentFailed, kAcceleratorLost };

// What a thread does for a segment. Returns soon after the run was aborted; then the result does
// not matter. An exception counts as kSegmentFailed.
using SegmentWork = std::function<WorkResult(SegmentRun&)>;

WorkResult SleepThrough(SegmentRun& run);
WorkResult SpinThrough(SegmentRun& run);

}  // namespace fairlead
