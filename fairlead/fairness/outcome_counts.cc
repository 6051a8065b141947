#include "fairlead/fairness/outcome_counts.h"

namespace fairlead {

std::int64_t OutcomeCounts::ended() const {
  std::int64_t sum = 0;
  for (std::int64_t count : by_outcome) sum += count;
  return sum;
}

double OutcomeCounts::HitRateOr(double without_outcomes) const {
  const std::int64_t all = ended();
  return all == 0 ? without_outcomes : static_cast<double>(hits()) / static_cast<double>(all);
}

OutcomeCounts& OutcomeCounts::operator+=(const OutcomeCounts& other) {
  for (std::size_t i = 0; i < by_outcome.size(); ++i) by_outcome[i] += other.by_outcome[i];
  return *this;
}

OutcomeCounts& OutcomeCounts::operator-=(const OutcomeCounts& other) {
  for (std::size_t i = 0; i < by_outcome.size(); ++i) by_outcome[i] -= other.by_outcome[i];
  return *this;
}

}  // namespace fairlead
