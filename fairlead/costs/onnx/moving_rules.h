// Shape rules for operators that move data: slices, pads, resizes and the like.
#pragma once

#include <string_view>

#include "fairlead/costs/onnx/shape_rules.h"

namespace fairlead {

using ShapeRule = Result<InferredDims> (*)(const Operator&);

// Null where the type is not among them.
ShapeRule FindMovingRule(std::string_view type);

}  // namespace fairlead
