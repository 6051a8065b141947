// An accelerator described by its parts: an array of multipliers, small stores beside them, buffers
// that they share, and the pins to memory. How well a layer runs follows from how it can be laid
// over these parts (mapping.h); no number here belongs to a layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead {

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

}  // namespace fairlead
