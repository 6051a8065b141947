// How much is dispatched at once: layers, blocks of layers, or whole networks.
//
// Layers are grouped in topological order, so a block never waits for a later one. A block runs
// its layers one after the other: its cost on a kind is the sum of theirs, and it can run only
// where all of them can, in exactly the same configuration.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
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

// Where the segments of a network begin, in the topological order of its layers, and where the last
// one ends.
using SegmentBounds = std::vector<std::size_t>;

// Equal blocks of so many layers; the last may be shorter.
SegmentBounds EqualBounds(std::size_t layers, Granularity granularity);

// The profile of the coarser networks, with bounds for each of them. Fails when a block could run
// nowhere.
Result<Profile> Segmented(const Profile& layers, std::span<const SegmentBounds> bounds);
Result<Profile> Segmented(const Profile& layers, Granularity granularity);

// The same with segments that run one after the other, in order of their numbers: what one leaves
// for a later one stays alive until that has run.
Profile OneAfterAnother(Profile profile);

}  // namespace fairlead
