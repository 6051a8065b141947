// Objectives that a result must meet: 'hit_rate>=0.8', 'agreements.min>0.6', 'dropped=0'.
#pragma once

#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/domain/platform.h"
#include "fairlead/report/figures.h"

namespace fairlead {

struct Objective {
  std::string text;    // as written
  std::string figure;  // its path in the JSON
  enum class Comparison { kAtLeast, kAtMost, kAbove, kBelow, kEqual } comparison{};
  double bound = 0;
};

Result<Objective> ParseObjective(std::string_view text);

// There will be such a figure.
Status CheckFigure(const Objective& objective, const Platform& platform);

// The figure's value beside the bound; fails when there is no such figure.
struct ObjectiveOutcome {
  bool met = false;
  std::string explanation;
};
Result<ObjectiveOutcome> Judge(const Objective& objective, const RunFigures& run);

}  // namespace fairlead
