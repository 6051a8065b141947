// How nodes of an ONNX graph become operators, by kind. Each function returns null where the type
// of node is not among its own.
//
// A rule runs when the dimensions of the node's outputs are known; it refuses what an operator of
// ours does not express exactly.
#pragma once

#include <string_view>

#include "fairlead/networks/onnx/operator_assembly.h"

namespace fairlead {

NodeRule FindWindowRule(std::string_view type);      // convolutions and pools
NodeRule FindLinearRule(std::string_view type);      // products with matrices
NodeRule FindPointwiseRule(std::string_view type);   // activations, sums and the like, batch norms
NodeRule FindReducingRule(std::string_view type);    // reductions, and norms over several numbers
NodeRule FindMovingNodeRule(std::string_view type);  // slices, pads, resizes and the like

}  // namespace fairlead
