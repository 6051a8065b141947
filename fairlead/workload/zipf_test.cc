#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "fairlead/workload/arrivals.h"

namespace fairlead {
namespace {

using Counts = std::vector<std::size_t>;

constexpr std::array<double, 3> kRates = {0.7, 0.8, 0.9};

Counts CountsOf(const std::vector<double>& dealt) {
  Counts counts;
  for (double rate : kRates)
    counts.push_back(static_cast<std::size_t>(std::ranges::count(dealt, rate)));
  return counts;
}

TEST(Apportion, GivesWholeQuotas) {
  EXPECT_EQ(Apportion(std::array<double, 3>{5, 3, 2}, 10), (Counts{5, 3, 2}));
}

TEST(Apportion, GivesTheRestToTheLargestRemainders) {
  // Quotas 4.7, 3.2, 2.1: one seat is left.
  EXPECT_EQ(Apportion(std::array<double, 3>{4.7, 3.2, 2.1}, 10), (Counts{5, 3, 2}));
}

TEST(Apportion, BreaksTiesToTheFirst) {
  EXPECT_EQ(Apportion(std::array<double, 3>{1, 1, 1}, 10), (Counts{4, 3, 3}));
}

TEST(Apportion, GivesNothingToNoWeight) {
  EXPECT_EQ(Apportion(std::array<double, 2>{0, 1}, 7), (Counts{0, 7}));
}

TEST(Apportion, AlwaysGivesAllSeats) {
  const std::array<double, 7> weights = {1, 0.5, 1.0 / 3, 0.25, 0.2, 1.0 / 6, 1.0 / 7};
  for (std::size_t seats = 0; seats < 500; ++seats) {
    const Counts given = Apportion(weights, seats);
    ASSERT_EQ(std::accumulate(given.begin(), given.end(), std::size_t{0}), seats);
  }
}

TEST(DealByZipf, FollowsTheLawExactly) {
  RandomStream random(1, "targets");
  // 1 : 1/2 : 1/3 of 100 is 54.5, 27.3, 18.2.
  EXPECT_EQ(CountsOf(DealByZipf(kRates, 100, 1, random)), (Counts{55, 27, 18}));
}

TEST(DealByZipf, DealsEvenlyAtExponentZero) {
  RandomStream random(1, "targets");
  EXPECT_EQ(CountsOf(DealByZipf(kRates, 99, 0, random)), (Counts{33, 33, 33}));
}

TEST(DealByZipf, DealsTheSameCountsInEverySeed) {
  RandomStream first(1, "targets");
  RandomStream second(2, "targets");
  EXPECT_EQ(CountsOf(DealByZipf(kRates, 50, 1.3, first)),
            CountsOf(DealByZipf(kRates, 50, 1.3, second)));
}

TEST(DealByZipf, ShufflesWhoGetsWhat) {
  RandomStream random(1, "targets");
  EXPECT_FALSE(std::ranges::is_sorted(DealByZipf(kRates, 100, 1, random)));
}

TEST(DealByZipf, ShufflesEveryoneAlike) {
  // The first tenant gets 90 % in 18 of 100 cases.
  int strict = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    RandomStream random(seed, "targets");
    if (DealByZipf(kRates, 100, 1, random).front() == 0.9) ++strict;
  }
  EXPECT_NEAR(strict / 2000.0, 0.18, 0.026);
}

TEST(DealByZipf, DealsNothingToNobody) {
  RandomStream random(1, "targets");
  EXPECT_TRUE(DealByZipf(kRates, 0, 1, random).empty());
}

}  // namespace
}  // namespace fairlead
