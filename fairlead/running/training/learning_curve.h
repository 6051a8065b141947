// How a training went: one point for each evaluation and world; as CSV and as a page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/running/training/rollouts.h"

namespace fairlead {

struct CurvePoint {
  int round = 0;
  std::string phase;  // start, imitation, ddpg
  double seconds = 0;
  std::uint64_t decisions = 0;  // collected so far
  double loss = 0;              // of the phase's own: of imitation, of the critic
  double value = 0;             // that the critic gives the actor
  Evaluation evaluation;
};

struct LearningCurve {
  std::vector<CurvePoint> points;
};

std::string FormatCurve(const LearningCurve& curve);
// `file` is for messages.
Result<LearningCurve> ParseCurve(std::string_view file, std::string_view text);
std::string CurvePage(const LearningCurve& curve, std::string_view title);

}  // namespace fairlead
