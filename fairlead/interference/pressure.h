// Slowdown by pressure: how much a segment suffers was measured beside a press that reads memory
// without pause, and how much its neighbours press is what they read.
//
// A segment that takes `pressed` times as long beside the press takes pressed^g beside others that
// touch so many bytes per second together, with a g that grows with these from 0. The curve g is
// fitted to networks measured side by side. As in Bubble-Up (Mars et al., MICRO'11): a sensitivity
// for each, a pressure for each, and no pairs. It knows no partitions, so it serves accelerators
// whose units are divided at will.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fairlead/interference/interference_model.h"

namespace fairlead {

// Somebody in a measured mix.
struct PressedExample {
  double pressed = 1;      // time beside the press over time alone
  double bytes_per_s = 0;  // that all others touch together, each as fast as alone
  double slowdown = 1;     // measured: time in the mix over time alone
};

class PressureCurve {
 public:
  // Nobody slows anybody.
  PressureCurve() = default;
  // Least squares of the logarithms, over curves that are straight between a few points and never
  // fall. O(examples).
  static PressureCurve Fit(std::span<const PressedExample> examples);

  double Exponent(double bytes_per_s) const;
  double Slowdown(double pressed, double bytes_per_s) const;

  struct Knot {
    double bytes_per_s = 0;
    double exponent = 0;
  };
  std::span<const Knot> knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;  // ascending
};

// A world that obeys the curve: what a segment touches is its demand. Caps on bandwidth hold beside
// that.
std::unique_ptr<InterferenceModel> MakePressureInterference(PressureCurve curve);

}  // namespace fairlead
