// The shape of the layer that an operator becomes.
#pragma once

#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/layer.h"
#include "fairlead/networks/onnx/fusion.h"
#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/tensor_inference.h"

namespace fairlead {

// How a node is treated on its own; fusion decides about pointwise ones.
Result<Treatment> TreatmentOf(const OnnxGraph& graph, const InferredTensors& inferred,
                              const GraphNode& node);

struct DescribedLayer {
  LayerShape shape;
  std::vector<std::string> warnings;  // where the shape says less than the operator
};

// Of a node that leads a layer, without what it absorbs, or what pointwise operators `reads` and
// `writes` together.
Result<DescribedLayer> DescribeLayer(const OnnxGraph& graph, const InferredTensors& inferred,
                                     const GraphNode& node);
LayerShape DescribePointwise(const InferredTensors& inferred, const std::vector<std::string>& reads,
                             const std::string& writes);

// Its counts stay below 10^14, so that sums over layers do not overflow.
bool IsBelievable(const LayerShape& shape);

}  // namespace fairlead
