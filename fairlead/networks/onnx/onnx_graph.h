// The graph of an ONNX file, checked for what everything else relies on: every name is defined once
// and before it is used, so there are no cycles.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

struct GraphNode {
  const onnx::NodeProto* proto = nullptr;
  std::vector<std::string> reads;  // inputs, and what the graphs inside it take from outside

  bool IsStandard() const { return proto->domain().empty() || proto->domain() == "ai.onnx"; }
};

struct OnnxGraph {
  onnx::ModelProto model;
  std::int64_t opset = 0;
  std::vector<GraphNode> nodes;  // those that an output depends on, in order
  std::unordered_set<std::string> outputs;
  std::unordered_map<std::string, std::vector<std::size_t>> readers;  // of a tensor, by node

  const onnx::GraphProto& graph() const { return model.graph(); }
};

// Weights are left out. Errors do not name the file.
Result<OnnxGraph> ReadOnnxGraph(std::string_view bytes);

// "node 'conv1' (Conv)", for messages.
std::string Describe(const onnx::NodeProto& node);

}  // namespace fairlead
