// Figures that sum up a list of numbers: rates across agreements, latencies across requests,
// results across seeds. Every definition is stated here once, so that tables can be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fairlead {

// The regularized incomplete beta function: the one special function that binomial tails and
// Student's t need. Ours because the standard library has none, and Boost's is no better
// (docs/decisions/0001).
//
// Written with Stirling's error and deviances (Loader, 2000) instead of differences of log-gammas,
// so that it keeps nine digits for arguments of ten million too; the continued fraction
// (Lentz's method) then takes a number of steps that grows with the square root of the arguments.

// I_x(a, b) for a, b > 0. The complement y = 1 - x is handed in, since whoever knows that x is
// close to 1 knows y better than 1 - x does.
double RegularizedIncompleteBeta(double a, double b, double x, double y);

// Quartiles interpolate linearly between the two nearest values (numpy's default, R's type 7).
// The standard deviation is the population's. Jain's index is (sum x)^2 / (n sum x^2): 1 when all
// are equal (all zero too), 1/n when one has everything. Without values: zeros, and a Jain of 1.
struct Distribution {
  std::size_t count = 0;
  double min = 0;
  double q1 = 0;
  double median = 0;
  double q3 = 0;
  double max = 0;
  double mean = 0;
  double std = 0;
  double jain = 1;
};

Distribution Describe(std::span<const double> values);

// The value below which a share of the sorted values lies, interpolated as above. Not empty.
double Quantile(std::span<const double> sorted, double share);

// Percentiles by nearest rank: the smallest value that at least that share of the values does not
// exceed, so each one is a value that occurred. Zeros without values.
struct Percentiles {
  std::int64_t p50 = 0;
  std::int64_t p95 = 0;
  std::int64_t p99 = 0;
  std::int64_t max = 0;
};

Percentiles NearestRankPercentiles(std::vector<std::int64_t> values);

// A mean, and half the width of its two-sided confidence interval by Student's t; no interval
// with fewer than two values, since one value says nothing about its error.
struct Estimate {
  std::size_t count = 0;
  double mean = 0;
  std::optional<double> half_width;
};

Estimate EstimateMean(std::span<const double> values, double confidence = 0.95);
// The mean of a[i] - b[i], for results on common seeds. Equal lengths.
Estimate EstimateDifference(std::span<const double> a, std::span<const double> b,
                            double confidence = 0.95);

// The t with P(T <= t) = probability. 0 < probability < 1, degrees > 0.
double StudentQuantile(double probability, double degrees);

}  // namespace fairlead
