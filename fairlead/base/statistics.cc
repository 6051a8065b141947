#include "fairlead/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "fairlead/base/check.h"

namespace fairlead {

namespace {

// log(gamma(x + 1)) minus Stirling's formula for it.
double StirlingError(double x) {
  double error = 0;
  while (x < 15) {
    error += (x + 0.5) * std::log1p(1 / x) - 1;
    ++x;
  }
  const double square = x * x;
  const double series =
      1.0 / 12 -
      (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / (1188 * square)) / square) / square) / square;
  return error + series / x;
}

// x log(x / mean) + mean - x, without the cancellation when the two are close.
double Deviance(double x, double mean) {
  const double difference = x - mean;
  if (std::abs(difference) >= 0.1 * (x + mean)) return x * std::log(x / mean) - difference;
  const double ratio = difference / (x + mean);
  double term = 2 * x * ratio;
  double sum = difference * ratio;
  for (int i = 1; i < 1000; ++i) {
    term *= ratio * ratio;
    const double next = sum + term / (2 * i + 1);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

// x^a y^b / B(a, b)
double Density(double a, double b, double x, double y) {
  const double n = a + b;
  const double exponent = StirlingError(n) - StirlingError(a) - StirlingError(b) -
                          Deviance(a, n * x) - Deviance(b, n * y);
  return std::sqrt(a * b / (2 * std::numbers::pi * n)) * std::exp(exponent);
}

// The continued fraction; converges fast for x < (a + 1) / (a + b + 2).
double Fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostSteps = 10'000'000;
  const auto not_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kMostSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    const double factor = d * c;
    fraction *= factor;
    if (std::abs(factor - 1) <= 4 * std::numeric_limits<double>::epsilon()) break;
  }
  return fraction;
}

}  // namespace

double RegularizedIncompleteBeta(double a, double b, double x, double y) {
  CHECK(a > 0 && b > 0);
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  if (x * (a + b + 2) < a + 1) return Density(a, b, x, y) * Fraction(a, b, x) / a;
  return 1 - Density(b, a, y, x) * Fraction(b, a, y) / b;
}

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
