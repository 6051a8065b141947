// How often the agreements of a world ask: rates as given, or shares of what the fluid bound can
// carry times the load.
#pragma once

#include "fairlead/base/result.h"
#include "fairlead/world/world.h"

namespace fairlead {

// Sets the arrivals of all agreements, which are planned, and what is known of the load. Fails with
// the place in the scenario: for loads that nothing limits, and for rates that make no sense.
Status SetArrivalRates(World& world);

}  // namespace fairlead
