// ONNX's types of numbers, and ours.
#pragma once

#include <optional>
#include <string>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// None: not numbers that we know (texts, complex ones, those of less than a byte).
std::optional<ElementType> ElementOf(int onnx_type);
// "INT64", for messages.
std::string TypeName(int onnx_type);

}  // namespace fairlead
