#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "fairlead/networks/onnx/node_rules.h"
#include "fairlead/networks/onnx/shape_rules.h"

namespace fairlead {
namespace {

Status ImportReduction(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  ASSIGN_OR_RETURN(const auto axes, ReducedAxes(node.op(), in.size()));
  if (!axes.has_value()) return Fail("has axes that are not known before it runs");
  if (axes->empty()) {
    node.Vanish(data);
    return {};
  }
  const std::string& type = node.proto().op_type();
  Reduction reduction{.kind = type == "ReduceMean"  ? ReductionKind::kMean
                              : type == "ReduceSum" ? ReductionKind::kSum
                                                    : ReductionKind::kMaximum};
  for (std::int64_t axis : *axes) {
    ASSIGN_OR_RETURN(const std::size_t index, node.SampleAxis(static_cast<std::size_t>(axis)));
    reduction.axes.push_back(index);
  }
  return node.Emit(std::move(reduction), {data});
}

// Before opset 13, everything from the axis on counts as one dimension. That is an axis where no
// other of these dimensions is larger than 1.
Result<std::size_t> SoftmaxAxis(const NodeImport& node, const Dims& in) {
  const bool flattens = node.op().opset < 13;
  ASSIGN_OR_RETURN(std::size_t axis,
                   AxisIndex(IntegerAttribute(node.proto(), "axis", flattens ? 1 : -1), in.size()));
  RETURN_IF_ERROR(node.SampleAxis(axis));
  if (flattens) {
    const auto larger = [](std::int64_t dim) { return dim > 1; };
    const auto from = in.begin() + static_cast<std::ptrdiff_t>(axis);
    if (std::count_if(from, in.end(), larger) > 1)
      return Fail("goes over several dimensions at once, as before opset 13; export it anew");
    const auto found = std::find_if(from, in.end(), larger);
    if (found != in.end()) axis = static_cast<std::size_t>(found - in.begin());
  }
  return node.SampleAxis(axis);
}

Status ImportSoftmax(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  ASSIGN_OR_RETURN(const std::size_t axis, SoftmaxAxis(node, in));
  return node.Emit(Softmax{.axis = axis, .logarithm = node.proto().op_type() == "LogSoftmax"},
                   {data});
}

Status ImportLocalResponseNorm(NodeImport& node) {
  RETURN_IF_ERROR(node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  const LocalResponseNorm norm{.size = IntegerAttribute(node.proto(), "size", 0),
                               .alpha = node.FloatAttribute("alpha", 1e-4F),
                               .beta = node.FloatAttribute("beta", 0.75F),
                               .bias = node.FloatAttribute("bias", 1)};
  if (norm.size < 1 || norm.size % 2 == 0)
    return Fail("goes over {} channels; expected an odd number of them", norm.size);
  return node.Emit(norm, {data});
}

}  // namespace

NodeRule FindReducingRule(std::string_view type) {
  static const std::unordered_map<std::string_view, NodeRule> rules = {
      {"LRN", &ImportLocalResponseNorm}, {"LogSoftmax", &ImportSoftmax},
      {"ReduceMax", &ImportReduction},   {"ReduceMean", &ImportReduction},
      {"ReduceSum", &ImportReduction},   {"Softmax", &ImportSoftmax},
  };
  const auto rule = rules.find(type);
  return rule == rules.end() ? nullptr : rule->second;
}

}  // namespace fairlead
