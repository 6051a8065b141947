// A graph with fewer operators that computes the same: what inference runtimes do before they run a
// network.
//
// Batch norms are folded into the convolutions and linear layers before them, padding into the
// windows after it, activations and additions into what computes their operand; x sigmoid(x) and
// the like become one activation; reshapes of reshapes become one; what no output depends on goes.
#pragma once

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Results differ from the graph's by rounding only.
OperatorGraph FuseOperators(OperatorGraph graph);

}  // namespace fairlead
