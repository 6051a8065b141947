#include "fairlead/networks/onnx/operators.h"

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

}  // namespace fairlead
