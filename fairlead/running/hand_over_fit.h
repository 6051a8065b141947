// What hand-overs cost, from segments that were watched: medians, so that a disturbed one does not
// matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/costs/hand_over_costs.h"
#include "fairlead/running/segment_log.h"

namespace fairlead {

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

}  // namespace fairlead
