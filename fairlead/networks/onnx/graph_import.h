// The one way from an ONNX file to a graph.
#pragma once

#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/networks/onnx/tensor_inference.h"
#include "fairlead/networks/onnx/warning_list.h"
#include "fairlead/networks/onnx/weight_source.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

struct ImportedGraph {
  OperatorGraph graph;
  WarningList warnings;      // of what is described roughly
  InferredTensors inferred;  // what the file says of its tensors
};

// Without values of weights, operators that no executor carries out become Opaque ones; otherwise
// the first of them is an error. Errors do not name the file.
Result<ImportedGraph> ImportGraph(std::string_view bytes, const WeightSource::Options& options);

}  // namespace fairlead
