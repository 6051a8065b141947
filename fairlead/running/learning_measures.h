// What experiments on learned policies measure of a run, and whom they compare.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/report/figures.h"

namespace fairlead {

inline constexpr std::string_view kUnawareLearner = "rl-baseline";
inline constexpr std::string_view kAwareLearner = "rl-sla";

inline double OverallRate(const RunFigures& run) { return run.hit_rate.value_or(0); }
inline double WorstRate(const RunFigures& run) { return run.agreements.rates.min; }
inline double RateDeviation(const RunFigures& run) { return run.agreements.rates.std; }
inline double MetShare(const RunFigures& run) { return run.agreements.met_share.value_or(0); }
inline double WindowsViolated(const RunFigures& run) {
  return static_cast<double>(run.window_violations);
}
inline double Deferrals(const RunFigures& run) { return run.deferrals_per_segment.value_or(0); }
inline double PolicyEnergy(const RunFigures& run) {
  return run.energy > 0 ? run.policy_energy / run.energy : 0;
}
// Over all agreements: what those below their target lack, added up.
inline double ShortfallSum(const RunFigures& run) {
  double sum = 0;
  for (const AgreementFigures& agreement : run.per_agreement) {
    if (agreement.target.has_value()) sum += std::max(*agreement.target - agreement.hit_rate, 0.0);
  }
  return sum;
}
inline double RequestsEach(const RunFigures& run) {
  const auto agreements = static_cast<double>(std::max<std::size_t>(run.per_agreement.size(), 1));
  return static_cast<double>(run.counts.ended()) / agreements;
}

inline double MeanOverSeeds(const std::vector<double>& values) { return EstimateMean(values).mean; }

}  // namespace fairlead
