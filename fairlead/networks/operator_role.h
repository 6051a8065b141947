// What operators of a graph are to its layers.
#pragma once

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

LayerRole LayerRoleOf(const OperatorGraph& graph, const GraphOperator& op);

// Whether the operator's result has the numbers of its first input, in the same order.
bool OnlyReshapes(const OperatorBody& body, const TensorDims& in, const TensorDims& out);

}  // namespace fairlead
