#include "fairlead/profiling/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/profiling/interruptions.h"

namespace fairlead {
namespace {

// What the lanes know of each other.
struct Race {
  std::size_t lanes = 0;
  std::atomic<std::size_t> under_way = 0;
  std::atomic<std::size_t> to_be_timed = 0;  // lanes with timed passes left
  std::atomic<bool> stop = false;
};

class LaneRunner {
 public:
  LaneRunner(const Lane& lane, const LiveClock& clock, Race& race)
      : lane_(lane), clock_(clock), race_(race) {
    times_.passes.reserve(static_cast<std::size_t>(lane.passes));
    if (!lane.by_layer) return;
    marks_.resize(lane.last - lane.first + 1);
    times_.layer_nanoseconds.reserve(static_cast<std::size_t>(lane.passes) *
                                     (lane.last - lane.first));
  }

  void Run() {
    try {
      Repeat();
    } catch (...) {
      race_.stop = true;
      throw;
    }
  }

  LaneTimes Take() { return std::move(times_); }

 private:
  void Repeat() {
    static const std::atomic<bool> never = false;
    for (int i = 0; i < lane_.warm_up; ++i) lane_.run->RunLayers(lane_.first, lane_.last, never);
    race_.under_way.fetch_add(1);
    while (!race_.stop) {
      const bool counts = race_.under_way.load() == race_.lanes &&
                          static_cast<int>(times_.passes.size()) < lane_.passes;
      const std::int64_t switches = counts ? InvoluntarySwitches() : 0;
      const Instant begin = clock_.Now();
      const bool whole = lane_.by_layer ? PassByLayer(begin) : Pass();
      const Instant end = clock_.Now();
      if (whole && counts) Record(end - begin, InvoluntarySwitches() > switches);
    }
  }

  // False if it was stopped.
  bool Pass() {
    for (int i = 0; i < lane_.repeats; ++i) {
      if (lane_.run->RunLayers(lane_.first, lane_.last, race_.stop) != lane_.last) return false;
    }
    return true;
  }
  bool PassByLayer(Instant begin) {
    marks_.front() = begin;
    for (std::size_t layer = lane_.first; layer < lane_.last; ++layer) {
      if (lane_.run->RunLayers(layer, layer + 1, race_.stop) == layer) return false;
      marks_[layer - lane_.first + 1] = clock_.Now();
    }
    return true;
  }

  void Record(Duration took, bool disturbed) {
    times_.passes.push_back({static_cast<double>(Nanoseconds(took)) / lane_.repeats, disturbed});
    for (std::size_t i = 1; i < marks_.size(); ++i)
      times_.layer_nanoseconds.push_back(
          static_cast<double>(Nanoseconds(marks_[i] - marks_[i - 1])));
    if (static_cast<int>(times_.passes.size()) == lane_.passes &&
        race_.to_be_timed.fetch_sub(1) == 1)
      race_.stop = true;
  }

  const Lane& lane_;
  const LiveClock& clock_;
  Race& race_;
  LaneTimes times_;
  std::vector<Instant> marks_;  // of one pass: its begin, and the end of each layer
};

}  // namespace

std::vector<LaneTimes> RunSideBySide(std::span<const Lane> lanes, const LiveClock& clock) {
  Race race{.lanes = lanes.size()};
  std::vector<LaneRunner> runners;
  runners.reserve(lanes.size());
  for (const Lane& lane : lanes) {
    CHECK(lane.first < lane.last && lane.repeats > 0 && (!lane.by_layer || lane.repeats == 1));
    if (lane.passes > 0) ++race.to_be_timed;
    runners.emplace_back(lane, clock, race);
  }
  CHECK(race.to_be_timed > 0);
  for (std::size_t i = 0; i < lanes.size(); ++i)
    lanes[i].partition->Post([&runner = runners[i]] { runner.Run(); });
  std::exception_ptr failure;
  for (const Lane& lane : lanes) {
    try {
      lane.partition->Wait();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  std::vector<LaneTimes> times;
  for (LaneRunner& runner : runners) times.push_back(runner.Take());
  return times;
}

double MeanNanoseconds(std::span<const TimedPass> passes) {
  CHECK(!passes.empty());
  const bool all = std::ranges::all_of(passes, &TimedPass::disturbed);
  double sum = 0;
  double count = 0;
  for (const TimedPass& pass : passes) {
    if (pass.disturbed && !all) continue;
    sum += pass.nanoseconds;
    ++count;
  }
  return sum / count;
}

}  // namespace fairlead
