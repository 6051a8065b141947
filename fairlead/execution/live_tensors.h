// Which tensors of a network are alive between two of its layers: what a job takes along when it
// changes processors there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// The tensors that are alive at the boundary before layer `layer`, ascending: computed (or given)
// before it, and read by it or later, or an output.
std::vector<TensorIndex> LiveTensors(const OperatorGraph& graph, std::size_t layer);
// The elements of those tensors, in sum.
std::int64_t LiveElements(const OperatorGraph& graph, std::size_t layer);
// The same for each boundary, from before the first layer to after the last. Linear.
std::vector<std::int64_t> LiveElementsByLayer(const OperatorGraph& graph);

}  // namespace fairlead
