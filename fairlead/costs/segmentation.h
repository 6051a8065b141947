// How much is dispatched at once: layers, blocks of layers, or whole networks.
//
// Layers are grouped in topological order, so a block never waits for a later one. A block runs
// its layers one after the other: its cost on a kind is the sum of theirs, and it can run only
// where all of them can, in exactly the same configuration.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/costs/profile.h"

namespace fairlead {

struct Granularity {
  std::size_t layers_per_segment = 1;

  static Granularity Layers() { return {1}; }
  static Granularity Blocks(std::size_t layers) { return {layers}; }
  static Granularity Whole() { return {std::numeric_limits<std::size_t>::max()}; }
};

// Where the segments of so many layers begin, in their topological order, and where the last one
// ends.
std::vector<std::size_t> SegmentBounds(std::size_t layers, Granularity granularity);

// The profile of the coarser networks. Fails when a block could run nowhere.
Result<Profile> Segmented(const Profile& layers, Granularity granularity);

}  // namespace fairlead
