// The arithmetic on shapes that exporters leave in a graph, carried out.
#pragma once

#include <vector>

#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {

// What a Constant holds, or a Shape or Size answers. None for other operators, and where it is not
// known.
std::optional<OnnxTensorInfo> AnswerOf(const Operator& op);

// Of an operator on constants: the contents of its only output, where they follow from the inputs'
// and are few. `dims` are the output's.
std::optional<std::vector<double>> EvaluateNumbers(const Operator& op, const Dims& dims);

// The type of an operator's outputs, as far as arithmetic on shapes needs it.
int TypeOf(const Operator& op);

}  // namespace fairlead
