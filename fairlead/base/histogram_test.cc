#include "fairlead/base/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

Histogram Of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (std::uint64_t value : values) histogram.Add(value);
  return histogram;
}

// The smallest value that at least a share q of the (sorted) values does not exceed.
std::uint64_t ExactQuantile(const std::vector<std::uint64_t>& sorted, double q) {
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

TEST(Histogram, IsZeroWhenEmpty) { EXPECT_EQ(Histogram{}.Quantile(0.5), 0); }

TEST(Histogram, Counts) { EXPECT_EQ(Of({5, 5, 1'000'000}).count(), 3); }

TEST(Histogram, KnowsTheLargestExactly) { EXPECT_EQ(Of({3, 123'456'789, 7}).max(), 123'456'789); }

TEST(Histogram, IsExactBelow64) {
  std::vector<std::uint64_t> values(64);
  for (std::uint64_t i = 0; i < 64; ++i) values[i] = i;
  EXPECT_EQ(Of(values).Quantile(0.25), 15);
}

TEST(Histogram, QuantileZeroIsTheSmallest) { EXPECT_EQ(Of({9, 4, 30}).Quantile(0), 4); }

TEST(Histogram, QuantileOneIsTheLargest) { EXPECT_EQ(Of({1'000, 1'003}).Quantile(1), 1'003); }

TEST(Histogram, NeverExceedsTheLargest) { EXPECT_EQ(Of({1'000'000}).Quantile(0.5), 1'000'000); }

TEST(Histogram, TakesZero) { EXPECT_EQ(Of({0, 0, 5}).Quantile(0.5), 0); }

TEST(Histogram, TakesTheLargestNumberThereIs) {
  EXPECT_EQ(Of({UINT64_MAX}).Quantile(0.5), UINT64_MAX);
}

TEST(Histogram, KeepsPowersOfTwoApart) {
  // 127 and 128 lie in neighbouring buckets of different width.
  EXPECT_EQ(Of({127, 128, 128}).Quantile(0.3), 127);
}

TEST(Histogram, IsWithinTwoPercentForEverySingleValue) {
  double x = 1;
  while (x < 1.8e19) {
    const auto value = static_cast<std::uint64_t>(x);
    x *= 1.013;
    // A larger one keeps the quantile from being cut to the largest value.
    const auto quantile = static_cast<double>(Of({value, UINT64_MAX}).Quantile(0.5));
    ASSERT_GE(quantile, static_cast<double>(value));
    ASSERT_LE(quantile, 1.02 * static_cast<double>(value));
  }
}

struct Shape {
  std::string name;
  std::function<double(RandomStream&)> draw;
};

class HistogramQuantiles : public ::testing::TestWithParam<Shape> {};

TEST_P(HistogramQuantiles, AreWithinTwoPercentOfTheExact) {
  RandomStream random(1, "histogram");
  std::vector<std::uint64_t> values(20'000);
  for (std::uint64_t& value : values) value = static_cast<std::uint64_t>(GetParam().draw(random));
  const Histogram histogram = Of(values);
  std::ranges::sort(values);
  for (double q : {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0}) {
    const auto exact = static_cast<double>(ExactQuantile(values, q));
    ASSERT_NEAR(static_cast<double>(histogram.Quantile(q)), exact, 0.02 * exact) << "q = " << q;
  }
}

TEST(Histogram, TwoTogetherCountLikeOne) {
  const std::vector<std::uint64_t> few = {3, 70, 5'000'000};
  const std::vector<std::uint64_t> more = {1, 900, 70, 12};
  Histogram sum = Of(few);
  sum.Add(Of(more));
  std::vector<std::uint64_t> all = few;
  all.insert(all.end(), more.begin(), more.end());
  const Histogram together = Of(all);
  EXPECT_EQ(sum.count(), together.count());
  EXPECT_EQ(sum.max(), together.max());
  for (double q : {0.0, 0.3, 0.5, 0.9, 1.0}) EXPECT_EQ(sum.Quantile(q), together.Quantile(q));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, HistogramQuantiles,
    ::testing::Values(Shape{"Uniform", [](RandomStream& r) { return 1e6 * r.Uniform(); }},
                      Shape{"Exponential", [](RandomStream& r) { return r.Exponential(5e3); }},
                      Shape{"Pareto", [](RandomStream& r) { return r.Pareto(0.8, 100); }},
                      Shape{"Narrow", [](RandomStream& r) { return 1e9 + 1e6 * r.Normal(); }},
                      Shape{"Small", [](RandomStream& r) { return 10 * r.Uniform(); }}),
    [](const auto& shape) { return shape.param.name; });

}  // namespace
}  // namespace fairlead
