// What is known about a tensor of an ONNX graph before the network runs.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// What each ONNX operator is to us.
enum class OperatorRole : std::uint8_t {
  kConvolution,
  kTransposedConvolution,
  kLinear,
  kPool,
  kGlobalPool,
  kReduction,
  kPointwise,  // each output element from the input elements in its place
  kNormalisation,
  kResize,
  kTranspose,
  kPad,
  kCopy,   // moves data in ways that no view can express
  kView,   // only says where data lies
  kShape,  // asks for a shape: the answer does not depend on the network's input
  kUnknown,
};

OperatorRole RoleOf(const GraphNode& node);

// Whether a pointwise operator spreads its inputs over each other, as numpy does. The others have
// the dimensions of their first input.
bool Broadcasts(const onnx::NodeProto& node);

// Warnings of an import: one line for each kind, with the operators that it is about.

// A name as it may stand in tables and on the screen: not too long, printable, without commas,
// quotes and spaces.
std::string Printable(std::string_view name);

class WarningList {
 public:
  void Add(const std::string& warning, std::string_view node);

  // "is dilated (5 times: a, b, c, ...)", ordered by text.
  std::vector<std::string> Lines() const;

 private:
  struct Occurrences {
    std::size_t count = 0;
    std::string first;  // names of a few
  };
  std::map<std::string, Occurrences> warnings_;
};

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
