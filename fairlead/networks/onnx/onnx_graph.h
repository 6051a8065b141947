// The graph of an ONNX file, checked for what everything else relies on: every name is defined once
// and before it is used, so there are no cycles.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

// Protocol buffers as they lie in a file, field by field, without copying.
//
// What is too large to be parsed into objects (weights) is looked at in place.
enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint64_t number = 0;
  WireType type = WireType::kVarint;
  std::string_view whole;     // tag included
  std::string_view contents;  // without the tag, and without the length of kBytes
};

// Both take what they return from the front of `in`; none where it is cut off, or no such thing.
std::optional<std::uint64_t> TakeVarint(std::string_view& in);
std::optional<WireField> TakeField(std::string_view& in);

void PutBytes(std::string& out, std::uint64_t number, std::string_view contents);

// Leaves the weights out of a serialised ONNX model, before anything is allocated for them.

// The model with the contents of all tensors of more than a kilobyte left out; their names, types
// and dimensions stay. None where the bytes are not a protocol buffer of this form.
std::optional<std::string> WithoutWeights(std::string_view model);

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
