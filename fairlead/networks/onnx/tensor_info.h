// What is known about a tensor of an ONNX graph before the network runs.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

using Dims = std::vector<std::int64_t>;

inline constexpr std::int64_t kMostElements = 1'000'000'000'000;  // of a tensor that we believe in

inline constexpr std::int64_t kMostNumbers = 128;  // that we remember of a tensor

inline constexpr std::size_t kMostDims = 64;

// The product, or none beyond kMostElements or kMostDims, or for a negative dimension. Where a
// dimension is 0 the others are held to the same bound: whatever was counted, the product of any of
// its dimensions can be computed.
std::optional<std::int64_t> CountElements(const Dims& dims);

struct OnnxTensorInfo {
  std::optional<Dims> dims;  // dimensions of 0 only where it is constant
  int type = onnx::TensorProto::FLOAT;
  bool constant = false;  // does not depend on the network's input
  // Its contents, where they are few: shapes, axes, scales.
  std::optional<std::vector<double>> numbers;

  bool IsInteger() const {
    return type == onnx::TensorProto::INT64 || type == onnx::TensorProto::INT32;
  }
  // Of a tensor with known dimensions.
  std::int64_t Elements() const { return CountElements(*dims).value_or(kMostElements); }
};

using TensorTable = std::unordered_map<std::string, OnnxTensorInfo>;

// One operator with what is known about its inputs; null for those that are not given.
struct Operator {
  const onnx::NodeProto& node;
  std::int64_t opset;
  std::vector<const OnnxTensorInfo*> inputs;

  const OnnxTensorInfo* Input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : nullptr;
  }
  // Dimensions of an input that is given and known; null otherwise.
  const Dims* InputDims(std::size_t index) const {
    const OnnxTensorInfo* input = Input(index);
    return input != nullptr && input->dims.has_value() ? &*input->dims : nullptr;
  }
};

// Attributes, with the value to use where there is none of this name and type.
std::int64_t IntegerAttribute(const onnx::NodeProto& node, const char* name,
                              std::int64_t otherwise);
Dims IntegersAttribute(const onnx::NodeProto& node, const char* name);
std::string TextAttribute(const onnx::NodeProto& node, const char* name, const char* otherwise);
const onnx::AttributeProto* FindAttribute(const onnx::NodeProto& node, const char* name);

// Whole numbers, from an attribute in early opsets or an input in later ones. None where they
// depend on what is computed.
std::optional<Dims> IntegersOf(const Operator& op, const char* attribute, std::size_t input);

// Converts without overflow.
std::int64_t ToInteger(double number);

// The info of a constant in the file.
OnnxTensorInfo InfoOf(const onnx::TensorProto& tensor);

// ONNX's types of numbers, and ours.

// None: not numbers that we know (texts, complex ones, those of less than a byte).
std::optional<ElementType> ElementOf(int onnx_type);
// "INT64", for messages.
std::string TypeName(int onnx_type);

}  // namespace fairlead
