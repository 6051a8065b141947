// Decides which operators share a layer.
//
// Pointwise operators that work on one tensor alone, however many (a batch norm and x * sigmoid(x),
// for one), go into the layer that computes that tensor, if nothing else reads what lies between.
// Otherwise they are one layer together: a layer for each result that others read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {

enum class Treatment : std::uint8_t {
  kFree,       // costs nothing, or does not depend on the network's input
  kPointwise,  // a layer or part of one
  kLayer,      // a layer that absorbs what is pointwise
  kAlone,      // a layer that absorbs nothing
};

inline constexpr std::size_t kNoLayer = std::numeric_limits<std::size_t>::max();

// For each node: the node that leads its layer, which may come before it (it is absorbed) or after
// it (the layer is complete there); itself for a layer of its own; kNoLayer where it is free.
std::vector<std::size_t> PlanFusion(const OnnxGraph& graph, const TensorTable& tensors,
                                    const std::vector<Treatment>& treatments);

}  // namespace fairlead
