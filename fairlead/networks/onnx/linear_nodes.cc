#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "fairlead/networks/onnx/node_rules.h"

namespace fairlead {
namespace {

Status CheckMatrix(NodeImport& node) {
  if (node.IsConstant(1) && !node.IsConstant(0)) return {};
  return Fail("multiplies '{}' and '{}'; no executor carries that out unless the second is weights",
              node.InputName(0), node.InputName(1));
}

// What Gemm adds: a number for each output, or one for all.
Result<WeightsPointer> GemmBias(NodeImport& node, std::int64_t outputs, float factor) {
  if (!node.IsGiven(2) || factor == 0) return WeightsPointer();
  if (!node.IsConstant(2))
    return Fail("adds '{}', which is computed; no executor carries that out", node.InputName(2));
  ASSIGN_OR_RETURN(const Dims dims, node.InputDims(2));
  const auto elements = CountElements(dims);
  if (dims.size() > 2 || (elements != 1 && (elements != outputs || dims.back() != outputs)))
    return Fail("adds {}; expected a number for each of {} outputs", fmt::join(dims, "x"), outputs);
  ASSIGN_OR_RETURN(const WeightsPointer given, node.Constant(2));
  if (factor == 1 && dims == Dims{outputs}) return given;
  std::vector<float> values = given->values;
  if (!values.empty()) values.resize(static_cast<std::size_t>(outputs), values.front());
  for (float& value : values) value *= factor;
  return node.weights().Make({outputs}, std::move(values));
}

Status ImportGemm(NodeImport& node) {
  RETURN_IF_ERROR(CheckMatrix(node));
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  if (IntegerAttribute(node.proto(), "transA", 0) != 0)
    return Fail("transposes its input (transA), and so its batch; no executor carries that out");
  const bool turned = IntegerAttribute(node.proto(), "transB", 0) == 0;
  Linear linear;
  ASSIGN_OR_RETURN(linear.weights, node.weights().Matrix(node.InputName(1), turned,
                                                         node.FloatAttribute("alpha", 1)));
  ASSIGN_OR_RETURN(linear.bias,
                   GemmBias(node, linear.weights->dims[0], node.FloatAttribute("beta", 1)));
  return node.Emit(std::move(linear), {data});
}

Status ImportMatMul(NodeImport& node) {
  RETURN_IF_ERROR(CheckMatrix(node));
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  ASSIGN_OR_RETURN(const Dims dims, node.InputDims(1));
  if (dims.size() > in.size() ||
      std::ranges::any_of(dims.begin(), dims.end() - 2, [](std::int64_t dim) { return dim != 1; }))
    return Fail("multiplies by several matrices, {}; no executor carries that out",
                fmt::join(dims, "x"));
  Linear linear;
  ASSIGN_OR_RETURN(linear.weights, node.weights().Matrix(node.InputName(1), true, 1));
  return node.Emit(std::move(linear), {data});
}

}  // namespace

NodeRule FindLinearRule(std::string_view type) {
  if (type == "Gemm") return &ImportGemm;
  return type == "MatMul" ? &ImportMatMul : nullptr;
}

}  // namespace fairlead
