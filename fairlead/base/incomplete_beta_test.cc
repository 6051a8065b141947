#include <gtest/gtest.h>

#include <cmath>

#include "fairlead/base/statistics.h"

namespace fairlead {
namespace {

TEST(IncompleteBeta, IsTheIdentityForUnitParameters) {
  EXPECT_NEAR(RegularizedIncompleteBeta(1, 1, 0.3, 0.7), 0.3, 1e-15);
}

TEST(IncompleteBeta, IsAPolynomialForSmallWholeParameters) {
  // I_x(2, 3) = 1 - (1-x)^4 - 4x(1-x)^3
  EXPECT_NEAR(RegularizedIncompleteBeta(2, 3, 0.4, 0.6),
              1 - std::pow(0.6, 4) - 4 * 0.4 * std::pow(0.6, 3), 1e-14);
}

TEST(IncompleteBeta, IsTheArcsineLawForHalves) {
  EXPECT_NEAR(RegularizedIncompleteBeta(0.5, 0.5, 0.2, 0.8),
              2 / std::acos(-1.0) * std::asin(std::sqrt(0.2)), 1e-14);
}

TEST(IncompleteBeta, IsZeroAtZero) { EXPECT_EQ(RegularizedIncompleteBeta(2, 3, 0, 1), 0); }

TEST(IncompleteBeta, IsOneAtOne) { EXPECT_EQ(RegularizedIncompleteBeta(2, 3, 1, 0), 1); }

TEST(IncompleteBeta, IsAHalfInTheMiddleOfHugeEqualParameters) {
  EXPECT_NEAR(RegularizedIncompleteBeta(5e6, 5e6, 0.5, 0.5), 0.5, 1e-12);
}

TEST(IncompleteBeta, BothTailsSumToOneForHugeParameters) {
  const double a = 9'000'123;
  const double b = 999'877;
  EXPECT_NEAR(RegularizedIncompleteBeta(a, b, 0.9, 0.1) + RegularizedIncompleteBeta(b, a, 0.1, 0.9),
              1, 1e-12);
}

// The sum of the binomial terms themselves, by their ratios from the largest down.
TEST(IncompleteBeta, EqualsTheSummedBinomialTailOfAMillion) {
  const double n = 1e6;
  const double p = 0.1;
  const int misses = 99'300;  // 2.3 deviations below the mean
  const auto log_factorial = [](double of) { return std::lgamma(of + 1); };  // NOLINT: one thread
  double log_term = log_factorial(n) - log_factorial(misses) - log_factorial(n - misses) +
                    misses * std::log(p) + (n - misses) * std::log1p(-p);
  double sum = 0;
  for (int k = misses; k >= 0 && log_term > -100; --k) {
    sum += std::exp(log_term);
    log_term += std::log(k * (1 - p) / ((n - k + 1) * p));
  }
  EXPECT_NEAR(RegularizedIncompleteBeta(n - misses, misses + 1, 1 - p, p) / sum, 1, 1e-7);
}

struct Value {
  double a, b, x, y;
  double expected;  // to 25 digits by mpmath 1.3, rounded
};

class IncompleteBetaValue : public ::testing::TestWithParam<Value> {};

INSTANTIATE_TEST_SUITE_P(
    Tails, IncompleteBetaValue,
    ::testing::Values(
        Value{1e4, 1e3, 0.8268642798769967, 0.17313572012300327, 1.484103381149678171e-134},
        Value{1e4, 1e5, 0.06490568394488325, 0.9350943160551167, 4.873302715651878903e-241},
        Value{1e7, 0.5, 0.9999978286799242, 2.1713200758499696e-06, 4.401981431076819055e-11},
        Value{1e7, 0.5, 0.9999997378679947, 2.6213200532421155e-07, 0.02203979559246063567},
        Value{1e7, 1e7, 0.49664589811760285, 0.5033541018823972, 4.857392231412712675e-198},
        Value{1e7, 10, 0.99999, 1e-05, 1.124788822503137849e-31},
        Value{5e5, 0.5, 0.9986328715987812, 0.0013671284012187316, 1.829973086180150892e-299}));

TEST_P(IncompleteBetaValue, HasNineDigits) {
  const Value& v = GetParam();
  EXPECT_NEAR(RegularizedIncompleteBeta(v.a, v.b, v.x, v.y) / v.expected, 1, 1e-9);
}

}  // namespace
}  // namespace fairlead
