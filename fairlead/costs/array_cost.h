// The cost of a layer on an accelerator described by its parts: the best way over the array, the
// best way through the buffers, and the slowest of array, buffers and memory, all overlapping.
//
// Laws that every result obeys, by construction: never more multiplications in a cycle than the
// array has, never less traffic than inputs, weights and outputs once, never more bandwidth than
// the pins, and never slower for more of anything.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/costs/array_accelerator.h"
#include "fairlead/costs/layer_cost.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

LayerCost CostOn(const ArrayAccelerator& accelerator, const LayerShape& shape);

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

// How a layer is laid over the array: which loops run side by side, what each element keeps, and
// what that makes the buffers deliver.
//
// The search tries every unrolling that the axes allow, and for each the tiles that an element can
// keep; it takes the fastest, and of equally fast ones that of least energy. All choices of a
// smaller array or store are choices of a larger one, which is therefore never slower.
//
// Inputs are read from the buffer once for each round of outputs; with a store for inputs in the
// elements a window slides along the rows and only what is new is read, else each tap of the kernel
// reads anew. Partial sums go to the buffer and back once for each round of inputs (weight- and
// row-stationary), or stay (output-stationary, where weights are read once for each round of
// positions instead).

struct ArrayMapping {
  std::int64_t cycles = 0;         // of the array, without what the buffer adds
  std::int64_t buffer_cycles = 0;  // 0 where the buffers are not a limit
  std::int64_t passes = 0;         // of tiles that wait in the array: each fills and drains it

  // Words that the buffers deliver and receive.
  std::int64_t inputs_read = 0;
  std::int64_t weights_read = 0;  // for one pass of all positions
  std::int64_t sums_read = 0;
  std::int64_t sums_written = 0;

  double element_pj = 0;  // of the stores beside the multipliers, without filling the weights
  double buffer_pj = 0;   // of inputs and sums above
  std::int64_t weight_copies = 1;  // how many elements keep the same weight
};

// Precondition: the layer multiplies.
ArrayMapping BestArrayMapping(const ArrayAccelerator& accelerator, const LayerShape& shape);

}  // namespace fairlead
