// Objectives as people write them, on the command line and in scenarios.
//
//   FIGURE COMPARISON BOUND     hit_rate>=80%   quiet.worst>=97%   revenue>edf-h:drop=early
//
// FIGURE     a path in the JSON of a run (latency.p99); `worst` and `promises_kept`, of all
//            agreements; or NAME.figure, of the agreements of a tenant or of a group of tenants.
//            `tenant.NAME.figure` is the same, for names that a path begins with.
// COMPARISON >= <= > < =
// BOUND      a share (97% or 0.97), a time (20ms) or a number, as the figure demands; or a policy,
//            whose figure on the same seeds is meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/report/objective.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {

struct World;

// An objective about runs of this world. Errors say what is wrong with the text, without its place.
Result<Objective> ResolveObjective(std::string_view text, const World& world);

// What the scenario itself demands of policies, with places in errors.
Result<std::vector<Objective>> ResolveRequirements(const World& world);

}  // namespace fairlead
