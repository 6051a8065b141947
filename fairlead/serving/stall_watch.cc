#include "fairlead/serving/stall_watch.h"

#include <algorithm>
#include <utility>

#include "fairlead/serving/clock.h"

namespace fairlead {
namespace {

// What is read so soon after a stall may have come during it.
constexpr Duration kAfterwards = std::chrono::milliseconds{250};
// The time of day was set if it moved by more than this against ours.
constexpr std::int64_t kSet = 20'000'000;  // nanoseconds

}  // namespace

StallWatch::StallWatch(const LiveClock& clock, Tell tell)
    : clock_(clock), tell_(std::move(tell)), beat_(clock.Now()), offset_(WallOffset(clock.Now())) {
  thread_ = std::thread([this] { Beat(); });
}

StallWatch::~StallWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

std::int64_t StallWatch::WallOffset(Instant now) const {
  return WallNanoseconds() - Nanoseconds(now);
}

void StallWatch::Beat() {
  std::unique_lock lock(mutex_);
  while (!end_) {
    const Instant next = beat_.load() + kBeat;
    while (!end_ && clock_.Now() < next) clock_.WaitUntil(ending_, lock, next);
    if (end_) return;
    lock.unlock();
    const Instant last = beat_;
    const Instant now = NoteTick(last);
    offset_ = WallOffset(now);
    beat_ = now;
    lock.lock();
  }
}

Instant StallWatch::NoteTick(Instant last) const {
  const Instant now = clock_.Now();
  if (last != Instant{} && now - last > kStall) Note(last, now);
  return now;
}

// Several threads notice the same one.
void StallWatch::Note(Instant from, Instant to) const {
  {
    const std::lock_guard lock(mutex_);
    if (from < stall_to_.load()) return;
    stall_from_ = from;
    stall_to_ = to;
    ++stalls_;
    stalled_ns_ += (to - from).count();
  }
  if (tell_) tell_(to - from);
}

Instant StallWatch::Arrived(std::int64_t wall_ns, Instant earliest) const {
  const Instant now = clock_.Now();
  const std::int64_t offset = WallOffset(now);
  if (wall_ns != 0 && std::abs(offset - offset_) < kSet) {
    const Instant came = AtNanoseconds(wall_ns - offset);
    return std::clamp(came, std::min(earliest, now), now);
  }
  Instant came = now;
  if (const Instant beat = beat_; now - beat > kStall) came = beat;
  if (const Instant end = stall_to_; end != Instant{} && now - end < kAfterwards)
    came = std::min(came, stall_from_.load());
  return std::max(came, std::min(earliest, now));
}

}  // namespace fairlead
