// Measures what hand-overs cost on this machine, through the engine and the threads of a live
// world.
//
// One segment runs at a time, so that nobody slows it: two jobs wander over the partitions, mostly
// staying where they are. What a boundary takes beside the work of the thread is the hand-over;
// what the work takes longer after another job, or after a move, is the rest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/hand_over_costs.h"
#include "fairlead/running/segment_log.h"
#include "fairlead/scenario/files.h"

namespace fairlead {

// What hand-overs cost, from segments that were watched: medians, so that a disturbed one does not
// matter.
struct WatchedSegment {
  LoggedSegment seen;
  Duration work{};               // of its thread: fetching what it needs, and computing
  std::int64_t alive_bytes = 0;  // at the boundary before it
};

// A move of so many bytes took so much longer than none would have.
struct WatchedMove {
  std::int64_t bytes = 0;
  Duration beyond{};
};

// A fixed part and one by the bytes: the line through the medians of the smaller and of the larger
// half. What comes out negative is zero.
MoveCost FitMove(std::vector<WatchedMove> moves);

// `kinds`: by accelerator. Segments are held to the median work of the same one where its job went
// on; those that never did are left out.
HandOverCosts FitHandOvers(std::span<const WatchedSegment> segments, std::span<const KindId> kinds,
                           std::size_t kind_count);

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
