#include "fairlead/workload/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace fairlead {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kDraws = 200'000;

std::vector<double> Gaps(const ArrivalOptions& options, int count = kDraws) {
  const auto arrivals = MakeArrivals(options, RandomStream(7, "arrivals/test"));
  std::vector<double> gaps;
  for (int i = 0; i < count; ++i) gaps.push_back(static_cast<double>(arrivals->NextGap().count()));
  return gaps;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double SquaredVariation(const std::vector<double>& values) {
  const double mean = Mean(values);
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size()) / (mean * mean);
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TEST(ParetoArrivals, HasTheMeanGap) {
  EXPECT_NEAR(Mean(Gaps(ParetoArrivals{milliseconds(10), 3})), 10e6, 0.1e6);
}

TEST(ParetoArrivals, NeverFallsBelowItsScale) {
  // 10 ms * 0.5 / 1.5
  EXPECT_GE(std::ranges::min(Gaps(ParetoArrivals{milliseconds(10), 1.5})), 3'333'333);
}

TEST(ParetoArrivals, HasTheMedianOfItsShape) {
  // scale * 2^(1/1.5)
  EXPECT_NEAR(Median(Gaps(ParetoArrivals{milliseconds(10), 1.5})), 5.2913e6, 0.03e6);
}

TEST(ParetoArrivals, HasAHeavyTail) {
  // P(gap > 100 ms) = (1/30)^1.5 = 0.006086
  const auto gaps = Gaps(ParetoArrivals{milliseconds(10), 1.5});
  const auto above = std::ranges::count_if(gaps, [](double gap) { return gap > 100e6; });
  EXPECT_NEAR(static_cast<double>(above) / kDraws, 0.006086, 0.0006);
}

TEST(PoissonArrivals, HasTheMeanGap) {
  EXPECT_NEAR(Mean(Gaps(PoissonArrivals{milliseconds(10)})), 10e6, 0.1e6);
}

TEST(PoissonArrivals, VariesAsItsMean) {
  EXPECT_NEAR(SquaredVariation(Gaps(PoissonArrivals{milliseconds(10)})), 1, 0.02);
}

constexpr BurstyArrivals kBursty{.mean_gap = milliseconds(10),
                                 .mean_busy = seconds(1),
                                 .mean_quiet = seconds(3),
                                 .rate_ratio = 10};

TEST(BurstyArrivals, HasTheMeanGapOverBothStates) {
  EXPECT_NEAR(Mean(Gaps(kBursty, 1'000'000)), 10e6, 0.3e6);
}

TEST(BurstyArrivals, VariesMoreThanPoisson) {
  // Mostly a mixture of exponentials of mean a and 10 a, by requests 10 : 3, of mean 40/13 a:
  // 2 (10 + 3 * 100) / 13 / (40/13)^2 - 1 = 4.04 when spells are long against gaps.
  EXPECT_NEAR(SquaredVariation(Gaps(kBursty, 1'000'000)), 4.04, 0.4);
}

TEST(BurstyArrivals, WithARatioOfOneIsPoisson) {
  BurstyArrivals even = kBursty;
  even.rate_ratio = 1;
  EXPECT_NEAR(SquaredVariation(Gaps(even)), 1, 0.02);
}

TEST(BurstyArrivals, MayBeSilentWhenQuiet) {
  BurstyArrivals silent = kBursty;
  silent.rate_ratio = std::numeric_limits<double>::infinity();
  // Busy requests come every 2.5 ms; in half of the cases within 2.5 ms * log 2 = 1.73 ms.
  EXPECT_NEAR(Median(Gaps(silent)), 1.735e6, 0.03e6);
}

TEST(PeriodicArrivals, KeepsItsPeriod) {
  const auto gaps = Gaps(PeriodicArrivals{milliseconds(10), Duration::zero()}, 100);
  EXPECT_TRUE(std::all_of(gaps.begin() + 1, gaps.end(), [](double gap) { return gap == 10e6; }));
}

TEST(PeriodicArrivals, HasARandomPhase) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto arrivals = MakeArrivals(PeriodicArrivals{milliseconds(10), Duration::zero()},
                                       RandomStream(seed, "arrivals/test"));
    sum += static_cast<double>(arrivals->NextGap().count());
  }
  EXPECT_NEAR(sum / 1000, 5e6, 0.3e6);
}

TEST(PeriodicArrivals, JitterDoesNotAddUp) {
  const auto gaps = Gaps(PeriodicArrivals{milliseconds(10), milliseconds(10)}, 10'001);
  double last = 0;
  for (std::size_t i = 1; i < gaps.size(); ++i) last += gaps[i];
  EXPECT_NEAR(last, 10'000 * 10e6, 10e6);
}

TEST(PeriodicArrivals, JitterSpreadsGaps) {
  // The difference of two uniform jitters of 6 ms has variance 6^2 / 6.
  EXPECT_NEAR(SquaredVariation(Gaps(PeriodicArrivals{milliseconds(10), milliseconds(6)})), 0.06,
              0.003);
}

TEST(PeriodicArrivals, NeverRunsBackwards) {
  EXPECT_GE(std::ranges::min(Gaps(PeriodicArrivals{milliseconds(10), milliseconds(10)})), 0);
}

TEST(Arrivals, EqualStreamsGiveEqualGaps) { EXPECT_EQ(Gaps(kBursty, 100), Gaps(kBursty, 100)); }

TEST(Arrivals, AnEndlessGapIsCutOff) {
  EXPECT_EQ(std::ranges::max(Gaps(PoissonArrivals{kLongestDuration}, 100)),
            static_cast<double>(Nanoseconds(kLongestDuration)));
}

TEST(Arrivals, AtRateSetsTheMeanRate) { EXPECT_NEAR(MeanRate(AtRate(kBursty, 250)), 250, 1e-9); }

TEST(Arrivals, AtRateStretchesJitter) {
  const auto stretched = AtRate(PeriodicArrivals{milliseconds(10), milliseconds(2)}, 50);
  EXPECT_EQ(std::get<PeriodicArrivals>(stretched).jitter, milliseconds(4));
}

TEST(CheckArrivals, RefusesAParetoWithoutMean) {
  EXPECT_FALSE(CheckArrivals(ParetoArrivals{milliseconds(1), 1.0}).has_value());
}

TEST(CheckArrivals, RefusesANanShape) {
  EXPECT_FALSE(
      CheckArrivals(ParetoArrivals{milliseconds(1), std::numeric_limits<double>::quiet_NaN()})
          .has_value());
}

TEST(CheckArrivals, RefusesNoGap) {
  EXPECT_FALSE(CheckArrivals(PoissonArrivals{Duration::zero()}).has_value());
}

TEST(CheckArrivals, RefusesAQuietStateBusierThanTheBusyOne) {
  BurstyArrivals inverted = kBursty;
  inverted.rate_ratio = 0.5;
  EXPECT_FALSE(CheckArrivals(inverted).has_value());
}

TEST(CheckArrivals, RefusesSpellsFarShorterThanGaps) {
  BurstyArrivals flicker = kBursty;
  flicker.mean_busy = flicker.mean_quiet = Duration{100};
  EXPECT_FALSE(CheckArrivals(flicker).has_value());
}

TEST(CheckArrivals, RefusesJitterBeyondThePeriod) {
  EXPECT_FALSE(CheckArrivals(PeriodicArrivals{milliseconds(1), milliseconds(2)}).has_value());
}

TEST(StreamName, NamesUseTenantAndNetwork) {
  EXPECT_EQ(StreamName("arrivals", "t3", "resnet50"), "arrivals/tenant=t3/network=resnet50");
}

}  // namespace
}  // namespace fairlead
