// Which version of a network is fastest under the pressure that was seen lately.
//
// Profiles say what a segment takes alone, and beside a press that reads memory without pause. How
// far finished segments were on the way from the one to the other is the pressure, from 0 to 1.
#pragma once

#include <vector>

#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// A mean in which what is new counts more: a weight of `memory` halves what was there.
class RecentMean {
 public:
  void Add(double value, double weight, double memory) {
    const double kept = memory / (memory + weight);
    sum_ = kept * sum_ + value * weight;
    weights_ = kept * weights_ + weight;
  }
  double Or(double otherwise) const { return weights_ > 0 ? sum_ / weights_ : otherwise; }

 private:
  double sum_ = 0;
  double weights_ = 0;
};

class VersionChoice {
 public:
  // Once, before anything is asked.
  void Prepare(const SystemView& view);
  // A segment has finished, so much slower than alone.
  void Learn(const SystemView& view, const Assignment& done, double slowdown, Duration memory);
  // For all segments of a job on so many units.
  int For(NetworkId network, KindId kind, int units) const;

 private:
  // All segments together, on a number of units.
  struct Total {
    double alone = 0;
    double pressed = 0;
  };
  using ByUnits = std::vector<Total>;
  std::vector<std::vector<std::vector<ByUnits>>> totals_;  // by network, kind and version
  RecentMean pressure_;
};

}  // namespace fairlead
