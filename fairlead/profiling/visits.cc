#include "fairlead/profiling/visits.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairlead {
namespace {

constexpr int kWarmUpVisits = 20;  // at most
constexpr double kStable = 0.02;   // how far two visits may be apart that do not differ

}  // namespace

int TimesToLast(Duration burst, double nanoseconds, int least, int most) {
  const double times = std::ceil(static_cast<double>(burst.count()) / std::max(nanoseconds, 1.0));
  return static_cast<int>(std::clamp(times, static_cast<double>(least), static_cast<double>(most)));
}

std::vector<double> UndisturbedOf(std::span<const TimedPass> passes) {
  std::vector<double> times;
  for (const TimedPass& pass : passes) {
    if (!pass.disturbed) times.push_back(pass.nanoseconds);
  }
  return times;
}

std::vector<double> MostlyUndisturbed(std::span<const TimedPass> passes) {
  std::vector<double> times = UndisturbedOf(passes);
  if (!times.empty()) return times;
  for (const TimedPass& pass : passes) times.push_back(pass.nanoseconds);
  return times;
}

void RunUntilStable(std::span<const Lane> lanes, const LiveClock& clock) {
  double before = 0;
  for (int visit = 0; visit < kWarmUpVisits; ++visit) {
    double sum = 0;
    for (const LaneTimes& times : RunSideBySide(lanes, clock)) sum += MeanNanoseconds(times.passes);
    if (std::abs(sum - before) <= kStable * before) return;
    before = sum;
  }
}

void AddLayerTimes(std::span<const Lane> lanes, const LiveClock& clock,
                   std::vector<std::vector<double>>& times) {
  const LaneTimes seen = std::move(RunSideBySide(lanes, clock).front());
  times.resize(lanes.front().last);
  for (std::size_t i = 0; i < seen.layer_nanoseconds.size(); ++i)
    times[i % times.size()].push_back(seen.layer_nanoseconds[i]);
}

}  // namespace fairlead
