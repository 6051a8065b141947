// A plan in words, for messages to people: requests and accelerators by name.
//
// Two entries that differ in anything read differently.
#pragma once

#include <string>

#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// The plan need not be right: what does not exist is called unknown.
std::string Describe(const SystemState& state, const SchedulingPlan& plan, const PlanEntry& entry);
// A line for each entry, indented by two; "  (nothing)" for an empty plan.
std::string Describe(const SystemState& state, const SchedulingPlan& plan);

}  // namespace fairlead
