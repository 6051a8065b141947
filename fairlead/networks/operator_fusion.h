// A graph with fewer operators that computes the same: what inference runtimes do before they run a
// network.
//
// Batch norms are folded into the convolutions and linear layers before them, padding into the
// windows after it, activations and additions into what computes their operand; x sigmoid(x) and
// the like become one activation; reshapes of reshapes become one; what no output depends on goes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// A network whose segments are ranges of its layers, as operators that an executor carries out one
// after the other.
struct RunnableNetwork {
  OperatorGraph graph;              // fused
  std::vector<std::size_t> bounds;  // the operators at which segments begin, and how many there are
};

// `layers` are the layers at which segments begin, and how many layers there are: those of
// FindLayers, or it is an error. Nothing is fused across segments. A segment may have no operators,
// if all that it does is of no effect.
Result<RunnableNetwork> FuseInSegments(OperatorGraph graph, std::span<const std::size_t> layers);

// Results differ from the graph's by rounding only. Where the graph is ordered by layers
// (graph_layers.h), operators stay so, and none absorbs an operator of a layer that belongs to
// another segment: `segments` are the layers at which these begin, ascending. Operators of
// different layers become one only where an addition is absorbed.
OperatorGraph FuseOperators(OperatorGraph graph, std::span<const std::size_t> segments = {});

}  // namespace fairlead
