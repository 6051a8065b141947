// How long one job of each network takes alone: what deadlines are multiples of.
#pragma once

#include "fairlead/base/result.h"
#include "fairlead/world/world.h"

namespace fairlead {

// What the simulator gives one job of each network on the idle platform under fcfs-h, into
// world.isolated. Platform, networks and true costs are there already.
Status MeasureIsolated(World& world);

// Epochs are not so much shorter than requests that decisions without an end come of it: each asks
// the policy while anything waits. After MeasureIsolated.
Status CheckPeriod(const World& world);

}  // namespace fairlead
