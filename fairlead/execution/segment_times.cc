#include "fairlead/execution/segment_times.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "fairlead/base/stopwatch.h"

namespace fairlead {
namespace {

constexpr int kPasses = 5;
constexpr double kLongEnough = 0.33;  // seconds

}  // namespace

std::vector<Duration> MeasureSegments(NetworkRun& run, std::span<const std::size_t> bounds) {
  const std::size_t segments = bounds.size() - 1;
  std::vector<std::vector<double>> seconds(segments);
  const std::atomic<bool> stop = false;
  const Stopwatch all;
  for (int pass = 0; pass <= kPasses; ++pass) {
    if (pass > 1 && all.ElapsedSeconds() > kLongEnough) break;
    for (std::size_t s = 0; s < segments; ++s) {
      const Stopwatch one;
      run.RunLayers(bounds[s], bounds[s + 1], stop);
      if (pass > 0) seconds[s].push_back(one.ElapsedSeconds());
    }
  }
  std::vector<Duration> times;
  for (std::vector<double>& some : seconds) {
    const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
    std::ranges::nth_element(some, middle);
    times.emplace_back(std::max<std::int64_t>(std::llround(*middle * 1e9), 1));
  }
  return times;
}

}  // namespace fairlead
