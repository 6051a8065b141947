#include "fairlead/report/usage_bins.h"

#include <algorithm>

namespace fairlead {

void UsageBins::Reach(Instant end) {
  while (Nanoseconds(end) > static_cast<std::int64_t>(kMostBins) * width_.count()) {
    for (std::size_t i = 0; i < kMostBins / 2; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
    std::fill(sums_.begin() + kMostBins / 2, sums_.end(), 0);
    width_ *= 2;
  }
}

void UsageBins::Add(Instant start, Instant end, double per_nanosecond) {
  Reach(end);
  std::int64_t from = Nanoseconds(start);
  while (from < Nanoseconds(end)) {
    const std::int64_t bin = from / width_.count();
    const std::int64_t to = std::min(Nanoseconds(end), (bin + 1) * width_.count());
    sums_[static_cast<std::size_t>(bin)] += static_cast<double>(to - from) * per_nanosecond;
    from = to;
  }
}

}  // namespace fairlead
