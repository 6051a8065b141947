#include "fairlead/running/quote_prediction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/base/statistics.h"

namespace fairlead {
namespace {

double Normal(RandomStream& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.Uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.Uniform());
}

TEST(Prediction, IsStudentsIntervalWhereAllWeighTheSame) {
  const std::vector<Observation> observed = {{1, 3}, {1, 5}, {1, 4}, {1, 8}};
  const Prediction prediction(observed, 0);
  // mean 5, deviation sqrt(14/3), three degrees of freedom
  const double half = StudentQuantile(0.99, 3) * std::sqrt(14.0 / 3 * (1 + 1.0 / 4));
  EXPECT_NEAR(prediction.ExceededWith(0.99, std::vector<double>{1}), 5 - half, 1e-4);
  EXPECT_NEAR(prediction.ExceededWith(0.01, std::vector<double>{1}), 5 + half, 1e-4);
}

TEST(Prediction, FollowsTheLine) {
  const std::vector<Observation> observed = {{1, 8.1}, {2, 5.9}, {3, 4.1}, {4, 1.9}};
  const Prediction prediction(observed, 0);
  EXPECT_NEAR(prediction.At(0), 10.1, 1e-9);
  EXPECT_NEAR(prediction.At(5), -0.1, 1e-9);
  // Squares of deviations: 0.0004, 0.0196, 0.0256 and so on add up to 0.032; two degrees.
  EXPECT_NEAR(prediction.variance(), 0.016, 1e-9);
}

TEST(Prediction, HeavyTrafficLowersWhatIsPredicted) {
  const std::vector<Observation> observed = {{1, 8.1}, {2, 5.9}, {3, 4.1}, {4, 1.9}};
  const Prediction prediction(observed, 0);
  std::vector<double> weights(98, 1.0);
  const double light = prediction.ExceededWith(0.99, weights);
  weights.push_back(4);
  weights.push_back(4);
  EXPECT_LT(prediction.ExceededWith(0.99, weights), light - 2);
}

TEST(Prediction, KnowsNothingBetterThanItsGrain) {
  const std::vector<Observation> observed = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}};
  const std::vector<double> weights = {1, 2, 3, 4, 5};
  EXPECT_EQ(Prediction(observed, 0).ExceededWith(0.99, weights), 0);
  EXPECT_LT(Prediction(observed, 0.001).ExceededWith(0.99, weights), -0.003);
}

// Deviations of a few roundings: the range of what is predicted holds hardly any numbers.
TEST(Prediction, EndsWhereOnlyRoundingIsLeft) {
  const double next = std::nextafter(1.0, 2.0);
  const std::vector<Observation> observed = {{1, 1}, {2, next}, {3, 1}, {4, next}, {5, 1}};
  const std::vector<double> weights = {1, 2, 3, 4, 5};
  EXPECT_NEAR(Prediction(observed, 0).ExceededWith(0.99, weights), 1, 1e-12);
}

TEST(Prediction, TakesTheVarianceOfOthers) {
  const std::vector<Observation> observed = {{1, 1}, {1, 2}, {1, 3}};
  const Prediction alone(observed, 0.5);
  EXPECT_DOUBLE_EQ(alone.variance(), 1);
  EXPECT_DOUBLE_EQ(alone.WithVariance(4).variance(), 4);
  EXPECT_DOUBLE_EQ(alone.WithVariance(0.01).variance(), 0.25);
}

// How often a new value exceeds the 99 % bound. Half of the observations are chosen by weight, the
// heaviest of all.
double Coverage(double slope, int observations, int rounds) {
  RandomStream random(7, "coverage");
  int held = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> weights;
    for (int i = 0; i < 100; ++i) weights.push_back(10 + Normal(random));
    std::ranges::sort(weights, std::greater<>());
    std::vector<Observation> observed;
    for (int i = 0; i < observations; ++i) {
      const double weight = weights[i % 2 == 0 ? i / 2 : 99 - i * 7];
      observed.push_back({weight, slope * weight + 0.3 * Normal(random)});
    }
    const double bound = Prediction(observed, 0).ExceededWith(0.99, weights);
    const double fresh = slope * (10 + Normal(random)) + 0.3 * Normal(random);
    held += fresh >= bound ? 1 : 0;
  }
  return static_cast<double>(held) / rounds;
}

TEST(Prediction, HoldsAsOftenAsItSays) {
  constexpr int kRounds = 1000;  // one standard error: 0.3 points
  for (const double slope : {0.0, -2.0}) {
    for (const int observations : {4, 8}) {
      const double coverage = Coverage(slope, observations, kRounds);
      EXPECT_NEAR(coverage, 0.99, 0.01) << slope << " " << observations;
    }
  }
}

TEST(StudentProbability, InvertsTheQuantile) {
  for (const int degrees : {1, 2, 3, 4, 7, 30}) {
    for (const double probability : {0.01, 0.3, 0.5, 0.975}) {
      EXPECT_NEAR(StudentProbability(StudentQuantile(probability, degrees), degrees), probability,
                  1e-9);
    }
  }
}

}  // namespace
}  // namespace fairlead
