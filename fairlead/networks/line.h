// Scales and shifts: what batch norms, and arithmetic with constants, do to numbers.
#pragma once

#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// alpha x + beta.
struct Line {
  float alpha = 1;
  float beta = 0;

  // This first, then the other.
  Line Then(const Line& other) const {
    return {alpha * other.alpha, beta * other.alpha + other.beta};
  }
};

// One for each channel, or for each output of a layer.
using Lines = std::vector<Line>;

// All alphas or all betas, as weights.
WeightsPointer PartOf(const Lines& lines, float Line::*part);

ChannelScale AsChannelScale(const Lines& lines);

}  // namespace fairlead
