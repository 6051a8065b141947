// What a figure will be on traffic that has not been seen: a prediction interval by Student's t.
//
// Traffic differs in weight, which is cheap to know of hundreds of drawn traffics, while the figure
// takes a simulation of each. So the figure is observed on a few, a line is fitted to it over the
// weight, and a new figure is predicted as the line at a weight that is drawn from all, plus a
// deviation from the line: a mixture of Student's distributions. Where weight explains the figure,
// a few simulations say as much as hundreds; where it explains nothing, the line is flat and the
// interval is the usual one, with one degree of freedom less.
//
// Assumes deviations from the line to be normal, and alike at all weights. Observations may be
// chosen by weight.
#pragma once

#include <span>

namespace fairlead {

struct Observation {
  double weight = 0;
  double value = 0;
};

class Prediction {
 public:
  // From two observations on. With fewer than four, or where all weigh the same, the line is flat.
  // Nothing deviates by less than `least_deviation` (>= 0): a figure that was the same each time is
  // still known only to its own grain.
  Prediction(std::span<const Observation> observations, double least_deviation);

  // On the line.
  double At(double weight) const { return mean_ + slope_ * (weight - mean_weight_); }
  // The value that a new one exceeds with this probability, on traffic whose weight is one of the
  // given ones, all as likely.
  double ExceededWith(double probability, std::span<const double> weights) const;
  // How probable it is that a new value is below this one.
  double FallsBelow(double value, std::span<const double> weights) const;

  // Of deviations from the line. Figures that are alike may share the mean of theirs.
  double variance() const { return variance_; }
  Prediction WithVariance(double variance) const;

 private:
  double count_ = 0;
  double mean_ = 0;
  double mean_weight_ = 0;
  double slope_ = 0;
  double spread_ = 0;  // squared deviations of the weights; 0: the line is flat
  double variance_ = 0;
  double least_variance_ = 0;
  int degrees_ = 1;
};

// P(T <= t) of Student's distribution. degrees > 0; O(degrees).
double StudentProbability(double t, int degrees);

}  // namespace fairlead
