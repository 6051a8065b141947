// Whether somebody without a promise can hold an accelerator for so long that promises break.
#pragma once

#include "fairlead/base/result.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/world/world.h"

namespace fairlead {

// Segments are not interrupted. Fails where one of a network that a tenant uses without a promise
// takes more than half of a deadline that is promised where it runs.
Status CheckLongSegments(const World& world, const CostTable& costs);

}  // namespace fairlead
