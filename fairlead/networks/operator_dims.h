// The dimensions of an operator's result.
#pragma once

#include <span>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// For operators whose result follows from their inputs: all but Slice, Reshape, Resize and
// Reduction. Pools round down. The inputs must fit the operator and each other.
TensorDims ResultDims(const OperatorBody& body, std::span<const TensorDims> inputs);

}  // namespace fairlead
