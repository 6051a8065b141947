#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/running/quote_trial.h"

namespace fairlead {
namespace {

using std::chrono::seconds;

std::vector<JudgedRequest> EverySecond(const std::vector<bool>& hits) {
  std::vector<JudgedRequest> requests;
  for (const bool hit : hits)
    requests.push_back({Instant{} + seconds{static_cast<int>(requests.size())}, hit});
  return requests;
}

TEST(PeriodChances, AreItsPeriods) {
  const ServiceAgreement agreement{.target = 0.5, .period = seconds{4}};
  const auto chances = PeriodChances(
      agreement, EverySecond({true, true, true, false, false, false, false, true, true}));
  ASSERT_EQ(chances.margins.size(), 3U);
  EXPECT_NEAR(chances.margins[0], 0.25, 1e-12);
  EXPECT_NEAR(chances.margins[1], -0.25, 1e-12);
  EXPECT_NEAR(chances.margins[2], 0.5, 1e-12);
  EXPECT_NEAR(chances.grain, 1.0 / 3, 1e-12);  // nine requests in three periods
}

// A sliding period of 12 s ends every second from the first whole one on; of those that end in one
// stretch of 12 s the worst counts. The failures from 20 to 22 are in those that end from 22 to 31.
TEST(PeriodChances, AreStretchesOfSlidingPeriods) {
  const ServiceAgreement agreement{
      .target = 0.9, .period = seconds{12}, .period_kind = PeriodKind::kSliding};
  std::vector<bool> hits(48, true);
  hits[20] = hits[21] = hits[22] = false;
  const auto chances = PeriodChances(agreement, EverySecond(hits));
  ASSERT_EQ(chances.margins.size(), 4U);  // one period that ends in the first stretch
  EXPECT_NEAR(chances.margins[0], 0.1, 1e-12);
  EXPECT_NEAR(chances.margins[1], 0.75 - 0.9, 1e-12);
  EXPECT_NEAR(chances.margins[2], 0.75 - 0.9, 1e-12);
  EXPECT_NEAR(chances.margins[3], 0.1, 1e-12);
}

TEST(WindowChances, AreTheWorstWindowsOfStretches) {
  const ServiceAgreement agreement{.window = 4, .max_misses = 1};
  const auto chances = WindowChances(agreement, EverySecond({true, true, true, true, false, false,
                                                             true, true, true, true, true, true}));
  ASSERT_EQ(chances.margins.size(), 3U);
  EXPECT_NEAR(chances.margins[0], 0.25, 1e-12);
  EXPECT_NEAR(chances.margins[1], -0.25, 1e-12);
  EXPECT_NEAR(chances.margins[2], 0,
              1e-12);  // one of the failures is in the window that ends first
  EXPECT_TRUE(WindowChances(agreement, EverySecond({true, true})).margins.empty());
}

TEST(TailPrediction, KnowsNothingBetterThanItsGrain) {
  const Chances alike{.margins = std::vector<double>(50, 0.05), .grain = 0.01};
  const TailPrediction tail(alike, 5);
  EXPECT_GT(tail.FallsBelow(0), 0);
  EXPECT_GT(tail.FallsBelow(0.04), tail.FallsBelow(0));
  EXPECT_LT(tail.OfOne(5).FallsBelow(0), tail.FallsBelow(0));
  EXPECT_NEAR(tail.FallsBelow(0.06), 1, 1e-9);
}

TEST(TailPrediction, GrowsWithHowOftenItIsJudged) {
  Chances seen{.grain = 0.001};
  for (int i = 0; i < 100; ++i) seen.margins.push_back(0.001 * i);
  EXPECT_LT(TailPrediction(seen, 2).FallsBelow(-0.05), TailPrediction(seen, 20).FallsBelow(-0.05));
}

// Margins whose lower tail is exponential, or a sum of several, which falls faster: from 60 that
// were seen, how often one of six new ones is below what was said to be exceeded in 99 of 100.
double Missed(int terms) {
  RandomStream random(11, "chances");
  const auto draw = [&] {
    double sum = 0;
    for (int i = 0; i < terms; ++i) sum += std::log(1 - random.Uniform()) / terms;
    return sum;
  };
  constexpr int kRounds = 1000;
  int missed = 0;
  for (int round = 0; round < kRounds; ++round) {
    Chances seen{.grain = 1e-6};
    for (int i = 0; i < 60; ++i) seen.margins.push_back(draw());
    const TailPrediction tail(seen, 6);
    double low = -100;
    double high = 0;
    while (high - low > 1e-4) {
      const double middle = (low + high) / 2;
      (tail.FallsBelow(middle) > 0.01 ? high : low) = middle;
    }
    double worst = 0;
    for (int i = 0; i < 6; ++i) worst = std::min(worst, draw());
    missed += worst < low ? 1 : 0;
  }
  return static_cast<double>(missed) / kRounds;
}

TEST(TailPrediction, HoldsAsOftenAsItSays) {
  EXPECT_NEAR(Missed(1), 0.01, 0.01);  // one standard error: 0.3 points
  EXPECT_LT(Missed(4), 0.015);
}

}  // namespace
}  // namespace fairlead
