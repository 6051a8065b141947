#include "fairlead/profiling/machine_profile.h"

#include <algorithm>
#include <cmath>

#include "fairlead/base/statistics.h"

namespace fairlead {
namespace {

NoiseFloor Summarise(std::vector<double> differences) {
  if (differences.empty()) return {};
  std::ranges::sort(differences);
  return {.cases = differences.size(),
          .median = Quantile(differences, 0.5),
          .p90 = Quantile(differences, 0.9)};
}

double Difference(double a, double b) { return std::abs(a - b) / std::min(a, b); }

}  // namespace

NoiseFloor NoiseOf(const std::vector<LayerCoRun>& coruns) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < coruns.size(); ++i) {
    const LayerCoRun& a = coruns[i - 1];
    const LayerCoRun& b = coruns[i];
    if (a.layer == b.layer && a.partition == b.partition && a.others == b.others)
      differences.push_back(Difference(a.nanoseconds, b.nanoseconds));
  }
  return Summarise(std::move(differences));
}

NoiseFloor NoiseOf(const std::vector<NetworkMix>& mixes) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < mixes.size(); ++i) {
    if (mixes[i].networks != mixes[i - 1].networks) continue;
    for (std::size_t p = 0; p < mixes[i].networks.size(); ++p) {
      if (mixes[i].networks[p] != kIdle)
        differences.push_back(Difference(mixes[i].nanoseconds[p], mixes[i - 1].nanoseconds[p]));
    }
  }
  return Summarise(std::move(differences));
}

}  // namespace fairlead
