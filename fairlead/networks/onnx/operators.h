// What each ONNX operator is to us.
#pragma once

#include <cstdint>
#include <string>

#include "fairlead/networks/onnx/onnx_graph.h"

namespace fairlead {

enum class OperatorRole : std::uint8_t {
  kConvolution,
  kTransposedConvolution,
  kLinear,
  kPool,
  kGlobalPool,
  kReduction,
  kPointwise,  // each output element from the input elements in its place
  kNormalisation,
  kResize,
  kTranspose,
  kPad,
  kCopy,   // moves data in ways that no view can express
  kView,   // only says where data lies
  kShape,  // asks for a shape: the answer does not depend on the network's input
  kUnknown,
};

OperatorRole RoleOf(const GraphNode& node);

// Whether a pointwise operator spreads its inputs over each other, as numpy does. The others have
// the dimensions of their first input.
bool Broadcasts(const onnx::NodeProto& node);

}  // namespace fairlead
