// Networks that pass in turn on one partition, as requests do: each after the others, and after a
// pause in which the partition's thread sleeps.
//
// A network that repeats at once finds caches, clocks and branch predictors as it left them; a
// request finds them as somebody else did, or as sleep did.
#pragma once

#include <span>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/profiling/side_by_side.h"

namespace fairlead {

struct TurnOptions {
  int cycles = 2;            // every lane passes once in each; at least two
  Duration longest_pause{};  // drawn evenly, from none to this
};

// All lanes have the same partition. Passes of the first cycle, and of every other from there on,
// are timed as wholes, the rest layer by layer. What a run throws is thrown again here.
std::vector<LaneTimes> RunInTurn(std::span<const Lane> lanes, const TurnOptions& options,
                                 RandomStream& random, const LiveClock& clock);

}  // namespace fairlead
