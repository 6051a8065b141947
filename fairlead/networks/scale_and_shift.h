// Scales and shifts: what batch norms, and arithmetic with constants, do to numbers.
#pragma once

#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// alpha x + beta.
struct ScaleAndShift {
  float alpha = 1;
  float beta = 0;

  // This first, then the other.
  ScaleAndShift Then(const ScaleAndShift& other) const {
    return {alpha * other.alpha, beta * other.alpha + other.beta};
  }
};

// One for each channel, or for each output of a layer.
using ScalesAndShifts = std::vector<ScaleAndShift>;

// All alphas or all betas, as weights.
WeightsPointer PartOf(const ScalesAndShifts& scales, float ScaleAndShift::*part);

ChannelScale AsChannelScale(const ScalesAndShifts& scales);

}  // namespace fairlead
