// Small graphs made by chance, to try executors and rewrites against the reference: all operators,
// and the ways in which exporters write activations, batch norms and gates.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// About so many operators. Numbers stay within a few units for inputs of a few units, and small
// changes of the inputs change the outputs little.
OperatorGraph RandomGraph(std::uint64_t seed, std::size_t operators);

// Inputs for a graph: each normally distributed.
std::vector<std::vector<float>> RandomInputs(const OperatorGraph& graph, std::int64_t batch,
                                             std::uint64_t seed);

}  // namespace fairlead
