// Measures what hand-overs cost on this machine, through the engine and the threads of a live
// world.
//
// One segment runs at a time, so that nobody slows it: two jobs wander over the partitions, mostly
// staying where they are. What a boundary takes beside the work of the thread is the hand-over;
// what the work takes longer after another job, or after a move, is the rest.
#pragma once

#include <cstdint>
#include <string>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/hand_over_costs.h"
#include "fairlead/scenario/files.h"

namespace fairlead {

struct HandOverProfileSpec {
  std::string scenario;  // YAML, as MachineScenario writes it; its profile is `profile.csv`
  std::string profile;   // CSV
  FileReader read;       // of what else the scenario names
  Duration time = std::chrono::seconds{2};  // about
  std::uint64_t seed = 1;
};

// Kinds are numbered as in the scenario's platform.
Result<HandOverCosts> MeasureHandOvers(const HandOverProfileSpec& spec);

}  // namespace fairlead
