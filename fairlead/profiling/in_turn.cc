#include "fairlead/profiling/in_turn.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "fairlead/base/check.h"
#include "fairlead/profiling/interruptions.h"

namespace fairlead {
namespace {

const std::atomic<bool> kNeverStopped = false;

void Sleep(Duration time, const LiveClock& clock) {
  std::mutex mutex;
  std::condition_variable nobody;
  std::unique_lock lock(mutex);
  clock.WaitUntil(nobody, lock, clock.Now() + time);
}

void PassWhole(const Lane& lane, const LiveClock& clock, LaneTimes& times) {
  const std::int64_t switches = InvoluntarySwitches();
  const Instant begin = clock.Now();
  lane.run->RunLayers(lane.first, lane.last, kNeverStopped);
  const Instant end = clock.Now();
  times.passes.push_back(
      {static_cast<double>(Nanoseconds(end - begin)), InvoluntarySwitches() > switches});
}

void PassByLayer(const Lane& lane, const LiveClock& clock, LaneTimes& times) {
  Instant begin = clock.Now();
  for (std::size_t layer = lane.first; layer < lane.last; ++layer) {
    lane.run->RunLayers(layer, layer + 1, kNeverStopped);
    const Instant end = clock.Now();
    times.layer_nanoseconds.push_back(static_cast<double>(Nanoseconds(end - begin)));
    begin = end;
  }
}

}  // namespace

std::vector<LaneTimes> RunInTurn(std::span<const Lane> lanes, const TurnOptions& options,
                                 RandomStream& random, const LiveClock& clock) {
  CHECK(!lanes.empty() && options.cycles >= 2);
  std::vector<LaneTimes> times(lanes.size());
  const auto pauses = static_cast<std::uint64_t>(options.longest_pause.count()) + 1;
  lanes.front().partition->Do([&] {
    for (int cycle = 0; cycle < options.cycles; ++cycle) {
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        CHECK(lanes[i].partition == lanes.front().partition);
        Sleep(Duration{static_cast<std::int64_t>(random.Below(pauses))}, clock);
        (cycle % 2 == 0 ? PassWhole : PassByLayer)(lanes[i], clock, times[i]);
      }
    }
  });
  return times;
}

}  // namespace fairlead
