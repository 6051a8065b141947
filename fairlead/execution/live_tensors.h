// Which tensors of a network are alive between two of its layers: what a job takes along when it
// changes processors there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Where buffers lie in one block of memory: those that are never needed at the same time may share
// their place.

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

// The tensors that are alive at the boundary before layer `layer`, ascending: computed (or given)
// before it, and read by it or later, or an output.
std::vector<TensorIndex> LiveTensors(const OperatorGraph& graph, std::size_t layer);
// The elements of those tensors, in sum.
std::int64_t LiveElements(const OperatorGraph& graph, std::size_t layer);
// The same for each boundary, from before the first layer to after the last. Linear.
std::vector<std::int64_t> LiveElementsByLayer(const OperatorGraph& graph);

}  // namespace fairlead
