// What visits of a profiler have in common: how long they are, and which passes of them count.
#pragma once

#include <span>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/profiling/side_by_side.h"

namespace fairlead {

// How often something must be done to last for a burst.
int TimesToLast(Duration burst, double nanoseconds, int least, int most);

std::vector<double> UndisturbedOf(std::span<const TimedPass> passes);
// Undisturbed ones; all where there is no such.
std::vector<double> MostlyUndisturbed(std::span<const TimedPass> passes);

// Clocks rise and caches fill: runs the lanes again and again until visits do not differ any more.
void RunUntilStable(std::span<const Lane> lanes, const LiveClock& clock);

// Runs the lanes, the first layer by layer; adds to the times of each of its layers.
void AddLayerTimes(std::span<const Lane> lanes, const LiveClock& clock,
                   std::vector<std::vector<double>>& times);

}  // namespace fairlead
