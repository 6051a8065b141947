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
#pragma once

#include <cstdint>

#include "fairlead/costs/array_accelerator.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

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
