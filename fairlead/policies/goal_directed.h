// Each request to the accelerator that its network owes most: routing by allocation ratios.
//
// Assumes     what a good assignment of networks to accelerators is was found beforehand, for
//             whatever goal (running/assignment_search.h); without a table, ratios follow speeds.
// Steps       1. A network has a ratio for each accelerator, and the part of its requests that
//                each has consumed. The score of an accelerator is ratio / consumed part.
//             2. route=arrival: a request goes on arrival to the accelerator with the highest
//                score, ties to the larger ratio, the faster, then the first; it waits there, the
//                earliest deadline first. route=idle: it waits with its network; of all networks
//                that wait and idle accelerators with a ratio for them, the pair with the highest
//                score is served first.
//             3. A job's segments stay where it began, as far as that can run them.
// Guarantees  route=arrival: after n requests of a network an accelerator has had its ratio of them
//             to within one for each accelerator. Nothing about deadlines: that is the search's.
// Source      Kim et al., Interference-Aware DNN Serving on Heterogeneous Processors in Edge
//             Systems (ICCD'21), slides; the score is Gavel's (OSDI'20).
//             docs/policies/goal-directed.md
// Cost        O(accelerators) per request, O(log n) per segment, O(accelerators) per decision;
//             route=idle: O(waiting networks x idle accelerators) per decision.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/home_queues.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

enum class RouteAt : std::uint8_t { kArrival, kIdle };

struct GoalDirectedOptions {
  UsualRatios usual = UsualRatios::kSpeed;  // of networks that no table names
  RouteAt route = RouteAt::kArrival;
  DropRule drop = DropRule::kNone;
};

std::unique_ptr<SchedulingPolicy> MakeGoalDirected(std::string name,
                                                   const GoalDirectedOptions& options,
                                                   AllocationRatios ratios);

}  // namespace fairlead
