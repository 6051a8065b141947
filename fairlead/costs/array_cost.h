// The cost of a layer on an accelerator described by its parts: the best way over the array, the
// best way through the buffers, and the slowest of array, buffers and memory, all overlapping.
//
// Laws that every result obeys, by construction: never more multiplications in a cycle than the
// array has, never less traffic than inputs, weights and outputs once, never more bandwidth than
// the pins, and never slower for more of anything.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

// An accelerator described by its parts: an array of multipliers, small stores beside them, buffers
// that they share, and the pins to memory. How well a layer runs follows from how it can be laid
// over these parts (mapping.h); no number here belongs to a layer.

// The loops of a layer. kX is all output positions of a map in one loop; kG the groups.
enum class Dimension : std::uint8_t { kK, kC, kP, kQ, kR, kS, kX, kG };
inline constexpr std::size_t kDimensions = 8;

// One direction of the array: so many copies side by side, over which loops may be unrolled.
struct ArrayAxis {
  std::int64_t size = 1;
  std::vector<Dimension> loops;
  // The copies belong to one processing element and share its stores: an input that all of them
  // need is read once, products that all of them add into one sum are added before it is touched.
  bool inside_element = false;
};

// What an element stores for one of the three tensors, in words; 0: nothing, every access goes to
// the buffer.
struct ElementStore {
  std::int64_t words = 0;
  double read_pj = 0;   // a word
  double write_pj = 0;  // a word
};

struct SharedBuffer {
  std::int64_t bytes = 0;
  bool holds_inputs = false;
  bool holds_weights = false;
  bool holds_sums = false;
  double read_pj = 0;          // a word
  double write_pj = 0;         // a word
  double words_per_cycle = 0;  // each way; 0: as many as the array asks for
};

enum class Dataflow : std::uint8_t {
  kWeightStationary,  // weights wait in the elements, inputs stream past, sums leave
  kRowStationary,     // the same with a row of the kernel in each element: the loops r and s of an
                      // axis come first and are spread over it as far as it reaches
  kOutputStationary,  // sums wait in the elements, inputs and weights stream past
};

enum class Unrolling : std::uint8_t {
  kAny,  // a loop may leave part of the array idle in its last round
  // Only by factors that divide the loop. An odd number of outputs is padded by one, and a side of
  // an output map that no factor divides (a prime above 16) as suits the array.
  kDivisors,
};

struct ArrayAccelerator {
  double clock_ghz = 1;
  std::int64_t word_bits = 8;
  std::int64_t sum_bits = 32;  // of a partial sum that leaves the chip
  Dataflow dataflow = Dataflow::kWeightStationary;
  Unrolling unrolling = Unrolling::kAny;
  std::vector<ArrayAxis> array;

  double mac_pj = 0;  // with the registers at its inputs
  ElementStore inputs, weights, sums;
  std::vector<SharedBuffer> buffers;

  double dram_gb_per_s = 16;
  double dram_pj_per_byte = 64;

  // Half of each buffer receives the next tile while the array works on the other half. Without,
  // tiles may fill the buffers and still overlap, as mappers assume who compare designs.
  bool double_buffering = false;
  // The cycles that pass before and after each pass of a tile of weights, or of sums where those
  // wait, through the array. 0: overlapped, or left out.
  std::int64_t fill_and_drain_cycles = 0;

  // Elements that operators without multiplications produce in a cycle, and their energy.
  std::int64_t vector_lanes = 16;
  double vector_pj = 0;

  std::int64_t MacsPerCycle() const;
};

// What one layer costs alone on one accelerator, and where the energy goes.
struct EnergyByLevel {
  double arithmetic_pj = 0;
  double element_pj = 0;  // the stores beside the multipliers
  double buffer_pj = 0;
  double dram_pj = 0;

  double Total() const { return arithmetic_pj + element_pj + buffer_pj + dram_pj; }
};

// What bounds the latency of a layer.
enum class Bound : std::uint8_t { kArithmetic, kBuffer, kMemory };

struct LayerCost {
  Duration latency{};
  Bound bound = Bound::kArithmetic;
  std::int64_t dram_read_bytes = 0;
  std::int64_t dram_write_bytes = 0;
  EnergyByLevel energy;
  double utilisation = 0;  // multiplications done, of those possible in that time

  std::int64_t DramBytes() const { return dram_read_bytes + dram_write_bytes; }
  SegmentCost Segment() const { return {latency, DramBytes(), std::llround(energy.Total())}; }
};

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
