// Dimensions of all tensors of a graph, and the contents of the few that shapes depend on.
#pragma once

#include "fairlead/base/result.h"
#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {

struct InferredTensors {
  TensorTable tensors;       // every tensor that a node of the graph reads or writes
  std::vector<Dims> inputs;  // of the network, in order
  std::int64_t batch = 1;    // inputs at once
  bool open_batch = false;   // the file does not say how many
  WarningList warnings;
};

// Where neither a rule nor the file says what dimensions an operator's result has, they are taken
// as those of its first input, with a warning. Fails on what cannot be right.
Result<InferredTensors> InferTensors(const OnnxGraph& graph);

}  // namespace fairlead
