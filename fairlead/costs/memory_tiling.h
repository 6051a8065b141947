// How a layer passes through the on-chip buffers in tiles, and what traffic to memory that takes.
//
// A tile is so many outputs (k), inputs (c) and output positions; the kernel is always whole. The
// three loops over tiles may nest in any order. Data that a tile shares with the one before stays;
// what left must be fetched again:
//   weights once for each tile of positions, unless the positions are the innermost loop that moves
//   inputs once for each tile of outputs, likewise; rows at the seams of tiles twice, unless
//   tiles of rows follow each other directly
//   partial sums leave and return once for each tile of inputs, likewise
// The search tries all orders and a fixed ladder of tile sizes and takes the least traffic that
// fits. The ladder does not depend on the accelerator, so that a larger buffer has all the choices
// of a smaller one, and is never worse.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/costs/array_accelerator.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

struct MemoryTiling {
  std::int64_t inputs_read = 0;  // words, of all groups
  std::int64_t weights_read = 0;
  std::int64_t sums_read = 0;  // partial sums that come back
  std::int64_t sums_written = 0;
  std::int64_t outputs_written = 0;
  std::int64_t position_tiles = 1;  // how often all weights pass

  std::int64_t ReadBytes(const ArrayAccelerator& accelerator) const;
  std::int64_t WriteBytes(const ArrayAccelerator& accelerator) const;
};

// Precondition: the layer multiplies. Layers so large that no tile fits run with tiles of one.
MemoryTiling BestMemoryTiling(const ArrayAccelerator& accelerator, const LayerShape& shape);

// The sizes that a loop of `extent` is cut into: the extent over 1, 2, 3, 4, 6, 8, 12, ..., rounded
// up, without repetitions, descending.
std::vector<std::int64_t> TileSizes(std::int64_t extent);

}  // namespace fairlead
