#include <gtest/gtest.h>

#include <cmath>

#include "fairlead/fairness/claims.h"

namespace fairlead {
namespace {

TEST(RateInterval, IsThatOfClopperAndPearson) {
  // R: binom.test(81, 100)$conf.int
  const RateInterval interval = IntervalOfRate(81, 100);
  EXPECT_NEAR(interval.low, 0.7193020, 1e-6);
  EXPECT_NEAR(interval.high, 0.8815568, 1e-6);
}

TEST(RateInterval, EndsWhereRatesDo) {
  EXPECT_EQ(IntervalOfRate(20, 20).high, 1);
  EXPECT_NEAR(IntervalOfRate(20, 20).low, std::pow(0.025, 1.0 / 20), 1e-9);
  EXPECT_EQ(IntervalOfRate(0, 20).low, 0);
  EXPECT_NEAR(IntervalOfRate(0, 20, 0.9).high, 1 - std::pow(0.05, 1.0 / 20), 1e-9);
}

TEST(RateInterval, KnowsNothingWithoutRequests) {
  EXPECT_EQ(IntervalOfRate(0, 0).low, 0);
  EXPECT_EQ(IntervalOfRate(0, 0).high, 1);
}

}  // namespace
}  // namespace fairlead
