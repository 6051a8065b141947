// Decides which operators of a graph share a layer.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

inline constexpr std::size_t kNoLayer = std::numeric_limits<std::size_t>::max();

// For each operator: the operator that leads its layer, which may come before it (it is absorbed)
// or after it (the layer is complete there); itself for a layer of its own; kNoLayer where it is
// free.
std::vector<std::size_t> LeadersOf(const OperatorGraph& graph);

}  // namespace fairlead
