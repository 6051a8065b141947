// A graph with fewer operators that computes the same: what inference runtimes do before they run a
// network.
//
// Batch norms are folded into the convolutions and linear layers before them, padding into the
// windows after it, activations and additions into what computes their operand; x sigmoid(x) and
// the like become one activation; reshapes of reshapes become one; what no output depends on goes.
#pragma once

#include <cstddef>
#include <span>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Results differ from the graph's by rounding only. Where the graph is ordered by layers
// (graph_layers.h), operators stay so, and none absorbs an operator of a layer that belongs to
// another segment: `segments` are the layers at which these begin, ascending. Operators of
// different layers become one only where an addition is absorbed.
OperatorGraph FuseOperators(OperatorGraph graph, std::span<const std::size_t> segments = {});

}  // namespace fairlead
