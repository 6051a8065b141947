// What `fairlead simulate` was asked to run: the world, the policies, and what must come out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/options.h"
#include "apps/signal_watch.h"
#include "fairlead/base/result.h"
#include "fairlead/report/objective.h"
#include "fairlead/running/run.h"
#include "fairlead/world/world.h"

namespace fairlead {

// A scenario, and what is put in the place of what it says. No file: the world of --profile.
struct ChosenScenario {
  std::string file;
  std::vector<Setting> settings;
};

Result<std::unique_ptr<const World>> LoadWorld(const SimulateOptions& options,
                                               const ChosenScenario& chosen);

Result<std::vector<std::string>> ChoosePolicies(const SimulateOptions& options, const World& world);

// Policy by policy, seed by seed.
std::vector<RunSpec> SpecsOf(const SimulateOptions& options, const World& world,
                             const std::vector<std::string>& policies);

// What the scenario demands, and what the command line does.
Result<std::vector<Objective>> ReadObjectives(const SimulateOptions& options, const World& world,
                                              const std::vector<std::string>& policies);

// Says which are not met, and hands back the exit status.
int TellOfUnmet(const std::vector<ObjectiveVerdict>& verdicts);

// `fairlead simulate` with several scenarios, or with --set and several values: every combination
// is run, and told in one table or page.

// One for each scenario and combination of values; the first key changes slowest. One alone: there
// is nothing to sweep.
Result<std::vector<ChosenScenario>> SweepPoints(const SimulateOptions& options);

int RunSweep(const SimulateOptions& options, const std::vector<ChosenScenario>& points,
             SignalWatch& signals);

}  // namespace fairlead
