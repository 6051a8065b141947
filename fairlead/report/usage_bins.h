// How much of something was used over time: sums in bins of equal width from time 0, whose number
// is bounded however long a run takes. When they are full, two become one and go on twice as wide.
#pragma once

#include <array>

#include "fairlead/base/time.h"

namespace fairlead {

class UsageBins {
 public:
  static constexpr std::size_t kMostBins = 128;

  // So much in each nanosecond of [start, end); nothing lies before 0. O(1), on average, for what
  // is shorter than a bin.
  void Add(Instant start, Instant end, double per_nanosecond);
  // Makes bins as wide as it takes to reach the instant. Bins that reach equally far are equally
  // wide.
  void Reach(Instant end);

  Duration width() const { return width_; }
  double operator[](std::size_t bin) const { return sums_[bin]; }

 private:
  std::array<double, kMostBins> sums_{};
  Duration width_ = std::chrono::microseconds{1};
};

}  // namespace fairlead
