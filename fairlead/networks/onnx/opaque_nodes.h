// Nodes of an ONNX graph that no executor carries out, by what they cost.
#pragma once

#include "fairlead/networks/onnx/operator_assembly.h"

namespace fairlead {

// The node becomes an Opaque operator, with a free one for each further output that is read. Fails
// where the node cannot be right.
Status ImportOpaque(NodeImport& node);

// Where a convolution's shape as a layer says less than the operator.
Status WarnOfShape(NodeImport& node);

}  // namespace fairlead
