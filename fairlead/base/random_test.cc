#include "fairlead/base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fairlead {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

template <typename Draw>
auto Drawn(int count, Draw draw) {
  std::vector<decltype(draw())> values;
  for (int i = 0; i < count; ++i) values.push_back(draw());
  return values;
}

std::vector<std::uint64_t> FirstBits(std::uint64_t seed, std::string_view name) {
  RandomStream random(seed, name);
  return Drawn(4, [&] { return random.Bits(); });
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

template <typename Draw>
Moments MomentsOf(int count, Draw draw) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const double value = draw();
    sum += value;
    squares += value * value;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean)};
}

TEST(RandomStream, RepeatsItselfForTheSameSeedAndName) {
  EXPECT_EQ(FirstBits(7, "arrivals/tenant=3"), FirstBits(7, "arrivals/tenant=3"));
}

TEST(RandomStream, DiffersByName) {
  EXPECT_NE(FirstBits(7, "arrivals/tenant=3"), FirstBits(7, "arrivals/tenant=4"));
}

TEST(RandomStream, DiffersBySeed) { EXPECT_NE(FirstBits(7, "policy"), FirstBits(8, "policy")); }

TEST(RandomStream, StreamsOfOneRunAreUnrelated) {
  // Of 64 bits two unrelated streams share 32 on average; the mean of 1000 deviates by 0.13.
  RandomStream first(1, "arrivals/tenant=0");
  RandomStream second(1, "arrivals/tenant=1");
  int equal = 0;
  for (int i = 0; i < 1000; ++i) equal += std::popcount(~(first.Bits() ^ second.Bits()));
  EXPECT_NEAR(equal / 1000.0, 32, 0.6);
}

// Golden values: from another implementation of xoshiro256**, SplitMix64 and FNV-1a. If these
// change, no recorded seed means what it meant.

TEST(RandomStream, BitsAreThoseOfTheGenerator) {
  EXPECT_THAT(FirstBits(42, "policy"), ElementsAre(0x3bad7aea3a534831, 0xf1367d446ae82ed2,
                                                   0x0e502ffda324f0c5, 0x05b11e21640fa18d));
}

TEST(RandomStream, SeedZeroAndNoNameAreNoSpecialCase) {
  EXPECT_THAT(FirstBits(0, ""), ElementsAre(0x1e28178eedbf0f30, 0x32dadb1a9e4a4d08,
                                            0x4ef49088479a6d5c, 0x03b90a6cd230303e));
}

TEST(RandomStream, UniformIsTheUpperBits) {
  RandomStream random(42, "policy");
  EXPECT_THAT(Drawn(3, [&] { return random.Uniform(); }),
              ElementsAre(0.23311584680989228, 0.9422376911196869, 0.05591106359783615));
}

TEST(RandomStream, BelowIsTheRemainder) {
  RandomStream random(42, "policy");
  EXPECT_THAT(Drawn(8, [&] { return random.Below(100); }),
              ElementsAre(45, 62, 85, 37, 74, 44, 80, 91));
}

TEST(RandomStream, ExponentialIsTheInverseOfTheDistribution) {
  RandomStream random(42, "policy");
  EXPECT_DOUBLE_EQ(random.Exponential(2), 0.5308390557759383);
}

TEST(RandomStream, ParetoIsTheInverseOfTheDistribution) {
  RandomStream random(42, "policy");
  EXPECT_DOUBLE_EQ(random.Pareto(2, 3), 3.425755572904738);
}

TEST(RandomStream, NormalTakesTwoDraws) {
  RandomStream random(42, "policy");
  random.Normal();
  EXPECT_DOUBLE_EQ(random.Normal(), 0.3359147021975376);
}

TEST(RandomStream, UniformStaysBelowOne) {
  RandomStream random(1, "test");
  const auto values = Drawn(100'000, [&] { return random.Uniform(); });
  EXPECT_LT(*std::ranges::max_element(values), 1);
}

TEST(RandomStream, UniformReachesBothEnds) {
  RandomStream random(1, "test");
  const auto values = Drawn(100'000, [&] { return random.Uniform(); });
  const auto [low, high] = std::ranges::minmax(values);
  EXPECT_NEAR(high - low, 1, 1e-3);
}

TEST(RandomStream, UniformPositiveIsNeverZero) {
  RandomStream random(1, "test");
  const auto values = Drawn(100'000, [&] { return random.UniformPositive(); });
  EXPECT_GT(*std::ranges::min_element(values), 0);
}

TEST(RandomStream, UniformHasItsMoments) {
  RandomStream random(1, "test");
  const Moments moments = MomentsOf(100'000, [&] { return random.Uniform(); });
  EXPECT_NEAR(moments.mean, 0.5, 0.004);  // four standard errors
  EXPECT_NEAR(moments.deviation, 1 / std::sqrt(12), 0.003);
}

TEST(RandomStream, BelowOneIsAlwaysZero) {
  RandomStream random(1, "test");
  EXPECT_THAT(Drawn(100, [&] { return random.Below(1); }), Each(0));
}

TEST(RandomStream, BelowGivesEveryNumberAlike) {
  RandomStream random(1, "test");
  std::array<int, 7> count{};
  for (int i = 0; i < 70'000; ++i) ++count[random.Below(7)];
  double chi_square = 0;
  for (int observed : count) chi_square += (observed - 10'000.0) * (observed - 10'000.0) / 10'000.0;
  EXPECT_LT(chi_square, 22.5);  // six degrees of freedom: exceeded once in a thousand
}

TEST(RandomStream, BelowIsUnbiasedWhereTheRemainderWouldNotBe) {
  // 2^64 is four thirds of this bound: plain remainders would fall into the lower third of the
  // range with probability 1/2.
  constexpr std::uint64_t kBound = 3ULL << 62;
  RandomStream random(1, "test");
  int low = 0;
  for (int i = 0; i < 10'000; ++i) low += random.Below(kBound) < kBound / 3 ? 1 : 0;
  EXPECT_NEAR(low / 10'000.0, 1.0 / 3, 0.02);
}

TEST(RandomStreamDeathTest, BelowZeroIsABug) {
  RandomStream random(1, "test");
  EXPECT_DEATH(random.Below(0), "bound > 0");
}

TEST(RandomStream, ExponentialHasItsMoments) {
  RandomStream random(1, "test");
  const Moments moments = MomentsOf(100'000, [&] { return random.Exponential(5); });
  EXPECT_NEAR(moments.mean, 5, 0.065);
  EXPECT_NEAR(moments.deviation, 5, 0.14);
}

TEST(RandomStream, ParetoHasItsMoments) {
  // Shape 6, scale 10: mean 12, deviation sqrt(100 * 6 / (25 * 4)) = 2.449.
  RandomStream random(1, "test");
  const Moments moments = MomentsOf(100'000, [&] { return random.Pareto(6, 10); });
  EXPECT_NEAR(moments.mean, 12, 0.032);
  EXPECT_NEAR(moments.deviation, 2.449, 0.2);  // the tail is heavy
}

TEST(RandomStream, ParetoStartsAtItsScale) {
  RandomStream random(1, "test");
  const auto values = Drawn(100'000, [&] { return random.Pareto(6, 10); });
  EXPECT_GE(*std::ranges::min_element(values), 10);
}

TEST(RandomStream, NormalHasItsMoments) {
  RandomStream random(1, "test");
  const Moments moments = MomentsOf(100'000, [&] { return random.Normal(); });
  EXPECT_NEAR(moments.mean, 0, 0.013);
  EXPECT_NEAR(moments.deviation, 1, 0.009);
}

TEST(RandomStream, NormalHasItsTails) {
  RandomStream random(1, "test");
  const auto values = Drawn(100'000, [&] { return random.Normal(); });
  const auto beyond = std::ranges::count_if(values, [](double x) { return std::abs(x) > 1.96; });
  EXPECT_NEAR(static_cast<double>(beyond) / 100'000, 0.05, 0.003);
}

TEST(RandomStream, WeightedFollowsTheWeights) {
  RandomStream random(1, "test");
  std::array<double, 3> share{};
  for (int i = 0; i < 100'000; ++i)
    share[random.Weighted(std::array<double, 3>{1, 2, 5})] += 1.0 / 100'000;
  EXPECT_NEAR(share[0], 0.125, 0.0045);
  EXPECT_NEAR(share[1], 0.250, 0.006);
}

TEST(RandomStream, WeightedNeverPicksNoWeight) {
  RandomStream random(1, "test");
  const std::array<double, 4> weights = {0, 1, 0, 0};
  EXPECT_THAT(Drawn(10'000, [&] { return random.Weighted(weights); }), Each(1));
}

TEST(RandomStreamDeathTest, WeightedWithoutAnyWeightIsABug) {
  RandomStream random(1, "test");
  EXPECT_DEATH(random.Weighted(std::array<double, 2>{0, 0}), "total > 0");
}

}  // namespace
}  // namespace fairlead
