#include "fairlead/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fairlead/base/check.h"
#include "fairlead/base/incomplete_beta.h"

namespace fairlead {
namespace {

double Mean(std::span<const double> values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double SquaredDeviations(std::span<const double> values, double mean) {
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

double JainIndex(std::span<const double> values) {
  double largest = 0;
  for (double value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 1;
  double sum = 0;
  double squares = 0;
  for (double value : values) {
    const double scaled = value / largest;
    sum += scaled;
    squares += scaled * scaled;
  }
  return sum * sum / (static_cast<double>(values.size()) * squares);
}

// P(T > t) for t >= 0.
double StudentTail(double t, double degrees) {
  const double square = t * t;
  return 0.5 * RegularizedIncompleteBeta(degrees / 2, 0.5, degrees / (degrees + square),
                                         square / (degrees + square));
}

}  // namespace

double Quantile(std::span<const double> sorted, double share) {
  CHECK(!sorted.empty() && share >= 0 && share <= 1);
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

Distribution Describe(std::span<const double> values) {
  Distribution result;
  result.count = values.size();
  if (values.empty()) return result;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  result.min = sorted.front();
  result.q1 = Quantile(sorted, 0.25);
  result.median = Quantile(sorted, 0.5);
  result.q3 = Quantile(sorted, 0.75);
  result.max = sorted.back();
  result.mean = std::clamp(Mean(values), result.min, result.max);
  result.std =
      std::sqrt(SquaredDeviations(values, result.mean) / static_cast<double>(values.size()));
  result.jain = JainIndex(values);
  return result;
}

Percentiles NearestRankPercentiles(std::vector<std::int64_t> values) {
  if (values.empty()) return {};
  const auto at_rank = [&values](std::size_t percent) {
    const std::size_t rank = (values.size() * percent + 99) / 100;  // from 1
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::ranges::nth_element(values, nth);
    return *nth;
  };
  return {.p50 = at_rank(50), .p95 = at_rank(95), .p99 = at_rank(99), .max = at_rank(100)};
}

Estimate EstimateMean(std::span<const double> values, double confidence) {
  CHECK(confidence > 0 && confidence < 1);
  Estimate result;
  result.count = values.size();
  if (values.empty()) return result;
  result.mean = Mean(values);
  if (values.size() < 2) return result;
  const auto count = static_cast<double>(values.size());
  const double error =
      std::sqrt(SquaredDeviations(values, result.mean) / (count - 1)) / std::sqrt(count);
  result.half_width = StudentQuantile(0.5 + confidence / 2, count - 1) * error;
  return result;
}

Estimate EstimateDifference(std::span<const double> a, std::span<const double> b,
                            double confidence) {
  CHECK(a.size() == b.size());
  std::vector<double> differences(a.size());
  std::ranges::transform(a, b, differences.begin(), std::minus<>());
  return EstimateMean(differences, confidence);
}

double StudentQuantile(double probability, double degrees) {
  CHECK(probability > 0 && probability < 1 && degrees > 0);
  if (probability == 0.5) return 0;
  if (probability < 0.5) return -StudentQuantile(1 - probability, degrees);
  const double tail = 1 - probability;
  double low = 0;
  double high = 1;
  while (StudentTail(high, degrees) > tail) {
    low = high;
    high *= 2;
  }
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (StudentTail(middle, degrees) > tail ? low : high) = middle;
  }
}

}  // namespace fairlead
