#include "fairlead/base/incomplete_beta.h"

#include <cmath>
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

}  // namespace fairlead
