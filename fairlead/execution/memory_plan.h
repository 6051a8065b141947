// Where buffers lie in one block of memory: those that are never needed at the same time may share
// their place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fairlead {

// From step `first` to step `last`, both included.
struct BufferLife {
  std::size_t bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  // of each buffer; multiples of 64
  std::size_t bytes = 0;             // of the block
};

// The largest buffers choose first, each the lowest place that is free during its life. Never more
// than the sum of all; usually within a few percent of what the fullest step needs. Time grows with
// the number of pairs that live at the same time.
MemoryPlan PlanMemory(std::span<const BufferLife> buffers);

}  // namespace fairlead
