#include "fairlead/fairness/sharing_measures.h"

#include <algorithm>
#include <limits>

#include "fairlead/base/check.h"

namespace fairlead {

double SharingIncentive(double shared, double expected) {
  if (expected != 0) return shared / expected;
  return shared == 0 ? 1 : std::numeric_limits<double>::infinity();
}

double WeightedWelfare(std::span<const std::int64_t> weights, std::span<const double> utilities) {
  CHECK(weights.size() == utilities.size() && !weights.empty());
  double sum = 0;
  double all = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += static_cast<double>(weights[i]) * utilities[i];
    all += static_cast<double>(weights[i]);
  }
  return sum / all;
}

Envy WeightedEnvy(std::span<const std::int64_t> weights, std::span<const double> swapped,
                  double tolerance) {
  const std::size_t n = weights.size();
  CHECK(swapped.size() == n * n);
  Envy envy;
  envy.ratios.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    bool is_envious = false;
    for (std::size_t j = 0; j < n; ++j) {
      const double ratio = SharingIncentive(static_cast<double>(weights[i]) * swapped[i * n + j],
                                            static_cast<double>(weights[j]) * swapped[i * n + i]);
      envy.ratios[i * n + j] = ratio;
      if (i == j) continue;
      envy.largest = std::max(envy.largest, ratio);
      if (ratio <= 1 + tolerance) continue;
      is_envious = true;
      ++envy.pairs;
    }
    if (is_envious) ++envy.envious;
  }
  return envy;
}

}  // namespace fairlead
