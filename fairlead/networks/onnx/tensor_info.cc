#include "fairlead/networks/onnx/tensor_info.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fairlead {

namespace {

const std::unordered_map<std::string_view, OperatorRole>& Roles() {
  using enum OperatorRole;
  static const std::unordered_map<std::string_view, OperatorRole> roles = {
      {"Conv", kConvolution},
      {"ConvTranspose", kTransposedConvolution},
      {"Gemm", kLinear},
      {"MatMul", kLinear},
      {"AveragePool", kPool},
      {"LpPool", kPool},
      {"MaxPool", kPool},
      {"GlobalAveragePool", kGlobalPool},
      {"GlobalLpPool", kGlobalPool},
      {"GlobalMaxPool", kGlobalPool},
      {"ReduceL1", kReduction},
      {"ReduceL2", kReduction},
      {"ReduceMax", kReduction},
      {"ReduceMean", kReduction},
      {"ReduceMin", kReduction},
      {"ReduceProd", kReduction},
      {"ReduceSum", kReduction},
      {"ReduceSumSquare", kReduction},
      {"Hardmax", kNormalisation},
      {"InstanceNormalization", kNormalisation},
      {"GroupNormalization", kNormalisation},
      {"LayerNormalization", kNormalisation},
      {"LRN", kNormalisation},
      {"LogSoftmax", kNormalisation},
      {"LpNormalization", kNormalisation},
      {"MeanVarianceNormalization", kNormalisation},
      {"Softmax", kNormalisation},
      {"Resize", kResize},
      {"Upsample", kResize},
      {"Transpose", kTranspose},
      {"Pad", kPad},
      {"DepthToSpace", kCopy},
      {"Expand", kCopy},
      {"Gather", kCopy},
      {"SpaceToDepth", kCopy},
      {"Tile", kCopy},
      {"Concat", kView},
      {"Dropout", kView},
      {"Flatten", kView},
      {"Identity", kView},
      {"Reshape", kView},
      {"Slice", kView},
      {"Split", kView},
      {"Squeeze", kView},
      {"Unsqueeze", kView},
      {"Shape", kShape},
      {"Size", kShape},
  };
  return roles;
}

bool IsUnary(const std::string& type) {
  static const std::unordered_set<std::string_view> unary = {"Abs",
                                                             "BatchNormalization",
                                                             "Cast",
                                                             "Ceil",
                                                             "Celu",
                                                             "Clip",
                                                             "Cos",
                                                             "DequantizeLinear",
                                                             "Elu",
                                                             "Erf",
                                                             "Exp",
                                                             "Floor",
                                                             "Gelu",
                                                             "HardSigmoid",
                                                             "HardSwish",
                                                             "LeakyRelu",
                                                             "Log",
                                                             "Mish",
                                                             "Neg",
                                                             "Not",
                                                             "QuantizeLinear",
                                                             "Reciprocal",
                                                             "Relu",
                                                             "Round",
                                                             "Selu",
                                                             "Sigmoid",
                                                             "Sign",
                                                             "Sin",
                                                             "Softplus",
                                                             "Softsign",
                                                             "Sqrt",
                                                             "Tanh",
                                                             "ThresholdedRelu"};
  return unary.contains(type);
}

}  // namespace

OperatorRole RoleOf(const GraphNode& node) {
  if (!node.IsStandard()) return OperatorRole::kUnknown;
  const std::string& type = node.proto->op_type();
  if (const auto found = Roles().find(type); found != Roles().end()) return found->second;
  return IsUnary(type) || Broadcasts(*node.proto) ? OperatorRole::kPointwise
                                                  : OperatorRole::kUnknown;
}

bool Broadcasts(const onnx::NodeProto& node) {
  static const std::unordered_set<std::string_view> types = {
      "Add",   "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max",
      "Mean",  "Min", "Mod", "Mul",   "Or",      "PRelu",          "Pow",  "Sub",         "Sum",
      "Where", "Xor"};
  return types.contains(node.op_type());
}

std::string Printable(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  std::string result(name.substr(0, kLongest));
  for (char& c : result) {
    if (c <= ' ' || c > '~' || c == ',' || c == '"') c = '_';
  }
  return result;
}

void WarningList::Add(const std::string& warning, std::string_view node) {
  constexpr std::size_t kMostKinds = 100;
  constexpr std::size_t kNamed = 3;
  if (warnings_.size() >= kMostKinds && !warnings_.contains(warning)) return;
  Occurrences& occurrences = warnings_[warning];
  if (++occurrences.count == kNamed + 1) occurrences.first += ", ...";
  if (occurrences.count > kNamed) return;
  if (occurrences.count > 1) occurrences.first += ", ";
  occurrences.first += Printable(node);
}

std::vector<std::string> WarningList::Lines() const {
  std::vector<std::string> lines;
  lines.reserve(warnings_.size());
  for (const auto& [warning, occurrences] : warnings_) {
    lines.push_back(fmt::format("{} ({} time{}: {})", warning, occurrences.count,
                                occurrences.count == 1 ? "" : "s", occurrences.first));
  }
  return lines;
}

std::optional<ElementType> ElementOf(int onnx_type) {
  switch (onnx_type) {
    case onnx::TensorProto::FLOAT: return ElementType::kFp32;
    case onnx::TensorProto::FLOAT16: return ElementType::kFp16;
    case onnx::TensorProto::BFLOAT16: return ElementType::kBf16;
    case onnx::TensorProto::DOUBLE: return ElementType::kFp64;
    case onnx::TensorProto::BOOL: return ElementType::kBool;
    case onnx::TensorProto::INT8: return ElementType::kInt8;
    case onnx::TensorProto::INT16: return ElementType::kInt16;
    case onnx::TensorProto::INT32: return ElementType::kInt32;
    case onnx::TensorProto::INT64: return ElementType::kInt64;
    case onnx::TensorProto::UINT8: return ElementType::kUint8;
    case onnx::TensorProto::UINT16: return ElementType::kUint16;
    case onnx::TensorProto::UINT32: return ElementType::kUint32;
    case onnx::TensorProto::UINT64: return ElementType::kUint64;
    default: return std::nullopt;
  }
}

std::string TypeName(int onnx_type) {
  if (onnx_type == onnx::TensorProto::STRING) return "texts (STRING)";
  if (!onnx::TensorProto::DataType_IsValid(onnx_type))
    return fmt::format("ONNX's type {}", onnx_type);
  return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(onnx_type));
}

namespace {

template <typename T>
std::vector<double> RawNumbers(std::string_view raw) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i + sizeof(T) <= raw.size(); i += sizeof(T)) {
    T value{};
    std::memcpy(&value, raw.data() + i, sizeof(T));
    numbers.push_back(static_cast<double>(value));
  }
  return numbers;
}

template <typename T, typename Repeated>
std::vector<double> NumbersOf(const onnx::TensorProto& tensor, const Repeated& typed) {
  if (tensor.has_raw_data()) return RawNumbers<T>(tensor.raw_data());
  return {typed.begin(), typed.end()};
}

std::vector<double> NumbersOf(const onnx::TensorProto& tensor) {
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT: return NumbersOf<float>(tensor, tensor.float_data());
    case onnx::TensorProto::DOUBLE: return NumbersOf<double>(tensor, tensor.double_data());
    case onnx::TensorProto::INT32: return NumbersOf<std::int32_t>(tensor, tensor.int32_data());
    case onnx::TensorProto::INT64: return NumbersOf<std::int64_t>(tensor, tensor.int64_data());
    default: return {};
  }
}

}  // namespace

std::optional<std::int64_t> CountElements(const Dims& dims) {
  if (dims.size() > kMostDims) return std::nullopt;
  std::int64_t product = 1;
  bool empty = false;
  for (std::int64_t dim : dims) {
    if (dim == 0) {
      empty = true;
    } else if (dim < 0 || __builtin_mul_overflow(product, dim, &product) ||
               product > kMostElements) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

const onnx::AttributeProto* FindAttribute(const onnx::NodeProto& node, const char* name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::int64_t IntegerAttribute(const onnx::NodeProto& node, const char* name,
                              std::int64_t otherwise) {
  const auto* attribute = FindAttribute(node, name);
  return attribute != nullptr && attribute->has_i() ? attribute->i() : otherwise;
}

Dims IntegersAttribute(const onnx::NodeProto& node, const char* name) {
  const auto* attribute = FindAttribute(node, name);
  if (attribute == nullptr) return {};
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::string TextAttribute(const onnx::NodeProto& node, const char* name, const char* otherwise) {
  const auto* attribute = FindAttribute(node, name);
  return attribute != nullptr && attribute->has_s() ? attribute->s() : otherwise;
}

std::optional<Dims> IntegersOf(const Operator& op, const char* attribute, std::size_t input) {
  if (FindAttribute(op.node, attribute) != nullptr) return IntegersAttribute(op.node, attribute);
  const OnnxTensorInfo* info = op.Input(input);
  if (info == nullptr) return Dims{};
  if (!info->numbers.has_value()) return std::nullopt;
  Dims integers;
  for (double number : *info->numbers) integers.push_back(ToInteger(number));
  return integers;
}

std::int64_t ToInteger(double number) {
  constexpr double kLargest = 1e18;
  if (std::isnan(number)) return 0;
  return static_cast<std::int64_t>(std::fmin(std::fmax(number, -kLargest), kLargest));
}

OnnxTensorInfo InfoOf(const onnx::TensorProto& tensor) {
  OnnxTensorInfo info{.dims = Dims(tensor.dims().begin(), tensor.dims().end()),
                      .type = tensor.data_type(),
                      .constant = true};
  const auto elements = CountElements(*info.dims);
  if (!elements.has_value()) {
    info.dims.reset();
    return info;
  }
  if (*elements > kMostNumbers) return info;
  std::vector<double> numbers = NumbersOf(tensor);
  if (static_cast<std::int64_t>(numbers.size()) == *elements) info.numbers = std::move(numbers);
  return info;
}

}  // namespace fairlead
