// Costs for numbers of units that nobody measured, between those that somebody did.
#pragma once

#include "fairlead/costs/profile.h"

namespace fairlead {

// Adds a row for every number of units up to the largest: between two measured ones, of the same
// layer, kind, batch and version, latencies lie on a straight line of logarithms, alone and pressed
// (where one of the two has no pressed latency, it is pressed as alone), and the traffic is that of
// fewer units. Below the fewest there is still none.
Profile WithAllUnits(Profile profile);

}  // namespace fairlead
