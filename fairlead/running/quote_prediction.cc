#include "fairlead/running/quote_prediction.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fairlead/base/check.h"
#include "fairlead/base/statistics.h"

namespace fairlead {
namespace {

constexpr std::size_t kFewestForLine = 4;

}  // namespace

// As a finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4): predictions ask for it by the
// million.
double StudentProbability(double t, int degrees) {
  CHECK(degrees >= 1);
  const double angle = std::atan(t / std::sqrt(degrees));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees == 1 ? 0 : term;
  for (int k = odd ? 3 : 2; k < degrees; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  const double within =
      odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return (1 + within) / 2;
}

Prediction::Prediction(std::span<const Observation> observations, double least_deviation)
    : count_(static_cast<double>(observations.size())),
      least_variance_(least_deviation * least_deviation) {
  CHECK(observations.size() >= 2);
  for (const Observation& one : observations) {
    mean_ += one.value / count_;
    mean_weight_ += one.weight / count_;
  }
  double together = 0;
  double spread = 0;
  for (const Observation& one : observations) {
    together += (one.weight - mean_weight_) * (one.value - mean_);
    spread += (one.weight - mean_weight_) * (one.weight - mean_weight_);
  }
  const double rounding = 1e-9 * mean_weight_;
  if (observations.size() >= kFewestForLine && spread > count_ * rounding * rounding) {
    spread_ = spread;
    slope_ = together / spread;
  }
  degrees_ = static_cast<int>(observations.size()) - (spread_ > 0 ? 2 : 1);
  for (const Observation& one : observations) {
    const double deviation = one.value - At(one.weight);
    variance_ += deviation * deviation / degrees_;
  }
  variance_ = std::max(variance_, least_variance_);
}

Prediction Prediction::WithVariance(double variance) const {
  Prediction other = *this;
  other.variance_ = std::max(variance, least_variance_);
  return other;
}

double Prediction::FallsBelow(double value, std::span<const double> weights) const {
  double sum = 0;
  for (double weight : weights) {
    const double away = weight - mean_weight_;
    const double leverage = spread_ > 0 ? away * away / spread_ : 0;
    const double deviation = std::sqrt(variance_ * (1 + 1 / count_ + leverage));
    sum += StudentProbability((value - At(weight)) / deviation, degrees_);
  }
  return sum / static_cast<double>(weights.size());
}

double Prediction::ExceededWith(double probability, std::span<const double> weights) const {
  CHECK(probability > 0 && probability < 1 && !weights.empty());
  const auto [lightest, heaviest] = std::ranges::minmax(weights);
  const double ends[] = {At(lightest), At(heaviest)};
  if (variance_ == 0) return std::ranges::min(ends);
  // The mixture's quantile lies between those of its parts.
  const double widest =
      std::max(std::abs(lightest - mean_weight_), std::abs(heaviest - mean_weight_));
  const double leverage = spread_ > 0 ? widest * widest / spread_ : 0;
  const double reach = std::abs(StudentQuantile(probability, degrees_)) *
                       std::sqrt(variance_ * (1 + 1 / count_ + leverage));
  double low = std::ranges::min(ends) - reach;
  double high = std::ranges::max(ends) + reach;
  constexpr double kExact = 1e-6;  // of the range
  const double exact = kExact * (high - low);
  while (high - low > exact) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;  // no number is between
    (FallsBelow(middle, weights) > 1 - probability ? high : low) = middle;
  }
  return low;
}

}  // namespace fairlead
