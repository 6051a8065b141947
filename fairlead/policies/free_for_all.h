// All units to all: every ready segment starts at once wherever there is room, and those on one
// accelerator divide its units equally.
//
// Assumes     units can change hands while segments run.
// Steps       1. Ready segments are walked first come, first served. Each joins the accelerator on
//                whose equal share it is believed fastest, ties to the lowest id. There is room
//                while the share of each one there is enough units to run on.
//             2. Each accelerator's units are divided anew: everyone gets the same, and what is
//                left over goes one by one to those that started first. What runs is resized.
//             An accelerator of one unit takes one segment at a time.
// Guarantees  nothing waits while there is room, and co-runners on one accelerator have equal
//             units, up to one. Deadlines, priorities, weights and the memory are not looked at.
// Source      textbook: processor sharing, as processes that share a GPU without a scheduler.
// Cost        O(log n) per ready segment, O(kinds) for each one walked, O(running) per decision.
#pragma once

#include <memory>
#include <string>

#include "fairlead/policies/early_drop.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct FreeForAllOptions {
  DropRule drop = DropRule::kNone;
};

std::unique_ptr<SchedulingPolicy> MakeFreeForAll(std::string name,
                                                 const FreeForAllOptions& options);

}  // namespace fairlead
