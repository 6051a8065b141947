// `fairlead simulate` with several scenarios, or with --set and several values: every combination
// is run, and told in one table or page.
#pragma once

#include <vector>

#include "apps/chosen_world.h"
#include "apps/options.h"
#include "apps/signal_watch.h"
#include "fairlead/base/result.h"

namespace fairlead {

// One for each scenario and combination of values; the first key changes slowest. One alone: there
// is nothing to sweep.
Result<std::vector<ChosenScenario>> SweepPoints(const SimulateOptions& options);

int RunSweep(const SimulateOptions& options, const std::vector<ChosenScenario>& points,
             SignalWatch& signals);

}  // namespace fairlead
