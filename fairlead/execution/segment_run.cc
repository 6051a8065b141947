#include "fairlead/execution/segment_run.h"

#include <algorithm>

namespace fairlead {
namespace {

// `left` of `before`, as a part of `after`; rounded up, so that nothing is faster than its cost.
Duration Scaled(Duration left, Duration before, Duration after) {
  if (before == Duration::zero()) return Duration::zero();
  __extension__ using Wide = __int128;
  const Wide product = static_cast<Wide>(left.count()) * after.count();
  return Duration{static_cast<std::int64_t>((product + before.count() - 1) / before.count())};
}

}  // namespace

SegmentRun::SegmentRun(const Assignment& assignment, Duration latency, const LiveClock& clock)
    : assignment_(assignment), clock_(clock), latency_(latency) {}

void SegmentRun::Renew(const Assignment& assignment, Duration latency) {
  const std::lock_guard lock(mutex_);
  assignment_ = assignment;
  aborted_ = false;
  stopped_ = false;
  due_ = kNever;
  latency_ = latency;
  begun_ = false;
}

void SegmentRun::Begin() {
  const std::lock_guard lock(mutex_);
  begun_ = true;
  if (!stopped_) due_ = clock_.Now() + latency_;
}

void SegmentRun::Resize(Duration latency) {
  const std::lock_guard lock(mutex_);
  if (begun_) {
    const Instant now = clock_.Now();
    const Duration left = std::max(due_.load() - now, Duration::zero());
    if (!stopped_) due_ = now + Scaled(left, latency_, latency);
    changed_.notify_all();
  }
  latency_ = latency;
}

void SegmentRun::Abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  Stop();
}

void SegmentRun::Cut() {
  const std::lock_guard lock(mutex_);
  Stop();
}

void SegmentRun::Stop() {
  stopped_ = true;
  due_ = kStopped;
  changed_.notify_all();
}

void SegmentRun::Wait() {
  std::unique_lock lock(mutex_);
  while (!Over()) clock_.WaitUntil(changed_, lock, due_.load());
}

WorkResult SleepThrough(SegmentRun& run) {
  run.Wait();
  return WorkResult::kDone;
}

WorkResult SpinThrough(SegmentRun& run) {
  while (!run.Over()) {
  }
  return WorkResult::kDone;
}

}  // namespace fairlead
