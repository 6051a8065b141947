#include "fairlead/base/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

namespace fairlead {
namespace {

constexpr std::array<double, 6> kValues = {7, 1, 2, 10, 4, 3};  // sorted: 1 2 3 4 7 10

TEST(Describe, CountsValues) { EXPECT_EQ(Describe(kValues).count, 6u); }

TEST(Describe, FindsTheSmallest) { EXPECT_EQ(Describe(kValues).min, 1); }

TEST(Describe, FindsTheLargest) { EXPECT_EQ(Describe(kValues).max, 10); }

TEST(Describe, InterpolatesTheFirstQuartile) {
  EXPECT_DOUBLE_EQ(Describe(kValues).q1, 2.25);  // position 1.25
}

TEST(Describe, InterpolatesTheMedian) { EXPECT_DOUBLE_EQ(Describe(kValues).median, 3.5); }

TEST(Describe, InterpolatesTheThirdQuartile) {
  EXPECT_DOUBLE_EQ(Describe(kValues).q3, 6.25);  // position 3.75
}

TEST(Describe, Averages) { EXPECT_DOUBLE_EQ(Describe(kValues).mean, 4.5); }

TEST(Describe, DeviatesAsAPopulation) {
  // squares of -3.5 -2.5 -1.5 -0.5 2.5 5.5: 57.5
  EXPECT_DOUBLE_EQ(Describe(kValues).std, std::sqrt(57.5 / 6));
}

TEST(Describe, JainIsSquaredSumOverSquares) {
  EXPECT_DOUBLE_EQ(Describe(kValues).jain, 27.0 * 27 / (6 * 179));
}

TEST(Describe, JainOfOneWithEverythingIsOneOverCount) {
  EXPECT_DOUBLE_EQ(Describe(std::array<double, 4>{0, 0, 5, 0}).jain, 0.25);
}

TEST(Describe, JainOfZerosIsOne) { EXPECT_EQ(Describe(std::array<double, 3>{0, 0, 0}).jain, 1); }

TEST(Describe, EqualValuesDoNotDeviate) {
  EXPECT_EQ(Describe(std::array<double, 3>{0.1, 0.1, 0.1}).std, 0);
}

TEST(Describe, OneValueIsItsOwnQuartile) { EXPECT_EQ(Describe(std::array<double, 1>{3}).q3, 3); }

TEST(Describe, NothingHasAJainOfOne) { EXPECT_EQ(Describe({}).jain, 1); }

std::vector<std::int64_t> OneTo(std::int64_t last) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(last));
  std::iota(values.rbegin(), values.rend(), 1);
  return values;
}

TEST(NearestRankPercentiles, MedianOfFourIsTheSecond) {
  EXPECT_EQ(NearestRankPercentiles(OneTo(4)).p50, 2);
}

TEST(NearestRankPercentiles, P95OfTwentyIsTheNineteenth) {
  EXPECT_EQ(NearestRankPercentiles(OneTo(20)).p95, 19);
}

TEST(NearestRankPercentiles, P99OfTwentyIsTheLast) {
  EXPECT_EQ(NearestRankPercentiles(OneTo(20)).p99, 20);
}

TEST(NearestRankPercentiles, P99OfAThousandIsThe990th) {
  EXPECT_EQ(NearestRankPercentiles(OneTo(1000)).p99, 990);
}

TEST(NearestRankPercentiles, MaxIsTheLargest) {
  EXPECT_EQ(NearestRankPercentiles(OneTo(1000)).max, 1000);
}

TEST(NearestRankPercentiles, NothingIsZero) { EXPECT_EQ(NearestRankPercentiles({}).p99, 0); }

// Printed tables of Student's t.
TEST(StudentQuantile, OneDegree) { EXPECT_NEAR(StudentQuantile(0.975, 1), 12.7062, 5e-5); }

TEST(StudentQuantile, TwoDegreesHaveAClosedForm) {
  // t = (2p - 1) sqrt(2 / (1 - (2p - 1)^2))
  EXPECT_NEAR(StudentQuantile(0.975, 2), 0.95 * std::sqrt(2 / (1 - 0.95 * 0.95)), 1e-11);
}

TEST(StudentQuantile, NineDegrees) { EXPECT_NEAR(StudentQuantile(0.975, 9), 2.26216, 5e-6); }

TEST(StudentQuantile, ThirtyDegreesAtNinetyNinePercent) {
  EXPECT_NEAR(StudentQuantile(0.995, 30), 2.75000, 5e-6);
}

TEST(StudentQuantile, BecomesTheNormal) {
  EXPECT_NEAR(StudentQuantile(0.975, 1e9), 1.959964, 1e-6);
}

TEST(StudentQuantile, IsOdd) {
  EXPECT_DOUBLE_EQ(StudentQuantile(0.25, 7), -StudentQuantile(0.75, 7));
}

TEST(EstimateMean, HalfWidthIsTTimesStandardError) {
  // mean 2, sample deviation 1, three values: 4.30265 / sqrt 3
  EXPECT_NEAR(EstimateMean(std::array<double, 3>{1, 2, 3}).half_width.value(),
              4.302653 / std::sqrt(3.0), 1e-6);
}

TEST(EstimateMean, OneValueHasNoInterval) {
  EXPECT_FALSE(EstimateMean(std::array<double, 1>{1}).half_width.has_value());
}

TEST(EstimateDifference, IsPairedByPosition) {
  // The differences are all 1, though the values vary.
  const std::array<double, 3> a = {11, 52, 3};
  const std::array<double, 3> b = {10, 51, 2};
  EXPECT_EQ(EstimateDifference(a, b).half_width.value(), 0);
}

TEST(EstimateDifference, IsFirstMinusSecond) {
  EXPECT_EQ(EstimateDifference(std::array<double, 2>{3, 5}, std::array<double, 2>{1, 1}).mean, 3);
}

}  // namespace
}  // namespace fairlead
