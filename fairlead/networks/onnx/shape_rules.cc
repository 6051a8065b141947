#include "fairlead/networks/onnx/shape_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "fairlead/networks/onnx/moving_rules.h"
#include "fairlead/networks/onnx/operators.h"
#include "fairlead/networks/onnx/window.h"

namespace fairlead {
namespace {

Result<Dims> SpatialDims(const Dims& dims) {
  if (dims.size() < 3)
    return Fail("has an input of {} dimensions; expected 3 or more", dims.size());
  return Dims(dims.begin() + 2, dims.end());
}

Result<InferredDims> ConvolutionDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const Dims* weights = op.InputDims(1);
  if (op.Input(0) == nullptr || op.Input(1) == nullptr)
    return Fail("has {} inputs; expected data and weights", op.inputs.size());
  if (in == nullptr || weights == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const Dims sizes, SpatialDims(*in));
  const std::int64_t groups = IntegerAttribute(op.node, "group", 1);
  if (weights->size() != in->size() || std::ranges::min(*weights) < 1)
    return Fail("has weights of {}; expected {} positive dimensions", fmt::join(*weights, "x"),
                in->size());
  if (groups < 1 || (*weights)[0] % groups != 0 || (*in)[1] % groups != 0 ||
      (*weights)[1] != (*in)[1] / groups)
    return Fail("has {} channels in {} groups, and weights of {}", (*in)[1], groups,
                fmt::join(*weights, "x"));
  ASSIGN_OR_RETURN(const Window window,
                   ReadWindow(op.node, sizes.size(), Dims(weights->begin() + 2, weights->end())));
  ASSIGN_OR_RETURN(const Dims out, SlideWindow(op.node, window, sizes));
  Dims dims = {(*in)[0], (*weights)[0]};
  dims.insert(dims.end(), out.begin(), out.end());
  return One(std::move(dims));
}

Result<InferredDims> PoolDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const Dims sizes, SpatialDims(*in));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(op.node, sizes.size(), {}));
  ASSIGN_OR_RETURN(const Dims out, SlideWindow(op.node, window, sizes));
  Dims dims = {(*in)[0], (*in)[1]};
  dims.insert(dims.end(), out.begin(), out.end());
  return InferredDims{std::vector<Dims>(2, dims)};  // MaxPool's second output: where it was found
}

Result<InferredDims> GlobalPool(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const Dims sizes, SpatialDims(*in));
  Dims dims = *in;
  std::fill(dims.begin() + 2, dims.end(), 1);
  return One(std::move(dims));
}

Result<InferredDims> Gemm(const Operator& op) {
  const Dims* a = op.InputDims(0);
  const Dims* b = op.InputDims(1);
  if (a == nullptr || b == nullptr) return kUnknownDims;
  if (a->size() != 2 || b->size() != 2)
    return Fail("multiplies {} and {}; expected 2 dimensions each", fmt::join(*a, "x"),
                fmt::join(*b, "x"));
  const bool turn_a = IntegerAttribute(op.node, "transA", 0) != 0;
  const bool turn_b = IntegerAttribute(op.node, "transB", 0) != 0;
  if ((*a)[turn_a ? 0 : 1] != (*b)[turn_b ? 1 : 0])
    return Fail("multiplies {} and {}: these do not fit", fmt::join(*a, "x"), fmt::join(*b, "x"));
  return One({(*a)[turn_a ? 1 : 0], (*b)[turn_b ? 0 : 1]});
}

Result<InferredDims> MatMul(const Operator& op) {
  const Dims* a = op.InputDims(0);
  const Dims* b = op.InputDims(1);
  if (a == nullptr || b == nullptr) return kUnknownDims;
  if (a->size() < 2 || b->size() < 2) return kUnknownDims;
  if (a->back() != (*b)[b->size() - 2])
    return Fail("multiplies {} and {}: these do not fit", fmt::join(*a, "x"), fmt::join(*b, "x"));
  ASSIGN_OR_RETURN(Dims dims,
                   BroadcastDims(Dims(a->begin(), a->end() - 2), Dims(b->begin(), b->end() - 2)));
  dims.push_back((*a)[a->size() - 2]);
  dims.push_back(b->back());
  return One(std::move(dims));
}

// All outputs have the dimensions of the first input.
Result<InferredDims> SameAsFirst(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  return InferredDims{
      std::vector<Dims>(static_cast<std::size_t>(std::max(op.node.output_size(), 1)), *in)};
}

Result<InferredDims> Pointwise(const Operator& op) {
  if (!Broadcasts(op.node)) return SameAsFirst(op);
  Dims dims;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.Input(i) == nullptr) continue;
    const Dims* in = op.InputDims(i);
    if (in == nullptr) return kUnknownDims;
    ASSIGN_OR_RETURN(dims, BroadcastDims(dims, *in));
  }
  return One(std::move(dims));
}

Result<InferredDims> ReshapeDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  const auto wanted = IntegersOf(op, "shape", 1);
  if (in == nullptr || !wanted.has_value()) return kUnknownDims;
  const bool keep_zero = IntegerAttribute(op.node, "allowzero", 0) != 0;
  Dims dims = *wanted;
  auto rest = dims.end();
  std::int64_t product = 1;
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    const auto index = static_cast<std::size_t>(dim - dims.begin());
    if (*dim == 0 && !keep_zero && index < in->size()) *dim = (*in)[index];
    if (*dim == -1 && rest == dims.end()) {
      rest = dim;
    } else if (*dim < 1 || __builtin_mul_overflow(product, *dim, &product)) {
      return Fail("reshapes to {}", fmt::join(*wanted, "x"));
    }
  }
  const std::int64_t elements = CountElements(*in).value_or(0);
  if (rest != dims.end()) *rest = elements / product;
  if (CountElements(dims) != elements || elements == 0)
    return Fail("reshapes {} to {}: these do not fit", fmt::join(*in, "x"),
                fmt::join(*wanted, "x"));
  return One(std::move(dims));
}

Result<InferredDims> Flatten(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  const std::int64_t asked = IntegerAttribute(op.node, "axis", 1);
  const auto rank = static_cast<std::int64_t>(in->size());
  if (asked < -rank || asked > rank)
    return Fail("has axis {}; its input has {} dimensions", asked, rank);
  const auto middle = in->begin() + (asked < 0 ? asked + rank : asked);
  const auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
  };
  return One({product(in->begin(), middle), product(middle, in->end())});
}

Result<InferredDims> JoinedDims(const Operator& op) {
  const Dims* first = op.InputDims(0);
  if (first == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const std::size_t axis,
                   AxisIndex(IntegerAttribute(op.node, "axis", 1), first->size()));
  Dims dims = *first;
  for (std::size_t i = 1; i < op.inputs.size(); ++i) {
    const Dims* part = op.InputDims(i);
    if (part == nullptr) return kUnknownDims;
    Dims others = *part;
    if (others.size() != dims.size())
      return Fail("joins {} and {} dimensions", dims.size(), others.size());
    others[axis] = dims[axis];
    if (others != dims)
      return Fail("joins {} and {}: these do not fit", fmt::join(*first, "x"),
                  fmt::join(*part, "x"));
    if (__builtin_add_overflow(dims[axis], (*part)[axis], &dims[axis]))
      return Fail("joins more than can be counted");
  }
  return One(std::move(dims));
}

Result<InferredDims> Split(const Operator& op) {
  const Dims* in = op.InputDims(0);
  auto sizes = IntegersOf(op, "split", 1);
  if (in == nullptr || !sizes.has_value()) return kUnknownDims;
  ASSIGN_OR_RETURN(const std::size_t axis,
                   AxisIndex(IntegerAttribute(op.node, "axis", 0), in->size()));
  const auto outputs = static_cast<std::size_t>(op.node.output_size());
  if (sizes->empty()) {
    const auto count = static_cast<std::int64_t>(outputs);
    const std::int64_t each = ((*in)[axis] + count - 1) / count;
    sizes->assign(outputs, each);
    sizes->back() = (*in)[axis] - each * (count - 1);
  }
  std::int64_t left = (*in)[axis];
  for (std::int64_t size : *sizes) left = size < 1 || size > left ? -1 : left - size;
  if (sizes->size() != outputs || left != 0)
    return Fail("splits {} into {}", (*in)[axis], fmt::join(*sizes, ", "));
  std::vector<Dims> parts;
  for (std::int64_t size : *sizes) {
    parts.push_back(*in);
    parts.back()[axis] = size;
  }
  return InferredDims{std::move(parts)};
}

Result<InferredDims> Transpose(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  Dims order = IntegersAttribute(op.node, "perm");
  if (order.empty()) {
    order.resize(in->size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  Dims sorted = order;
  std::ranges::sort(sorted);
  Dims all(in->size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    return Fail("has 'perm' {}; its input has {} dimensions", fmt::join(order, ","), in->size());
  Dims dims;
  for (std::int64_t axis : order) dims.push_back((*in)[static_cast<std::size_t>(axis)]);
  return One(std::move(dims));
}

Result<InferredDims> ReductionDims(const Operator& op) {
  const Dims* in = op.InputDims(0);
  if (in == nullptr) return kUnknownDims;
  ASSIGN_OR_RETURN(const auto axes, ReducedAxes(op, in->size()));
  if (!axes.has_value()) return kUnknownDims;
  const bool keep = IntegerAttribute(op.node, "keepdims", 1) != 0;
  Dims dims;
  for (std::size_t i = 0; i < in->size(); ++i) {
    const bool reduced = std::ranges::find(*axes, static_cast<std::int64_t>(i)) != axes->end();
    if (!reduced) dims.push_back((*in)[i]);
    if (reduced && keep) dims.push_back(1);
  }
  return One(std::move(dims));
}

}  // namespace

Result<std::size_t> AxisIndex(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    return Fail("has axis {}; its input has {} dimensions", axis, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

Result<Dims> BroadcastDims(const Dims& a, const Dims& b) {
  const Dims& longer = a.size() < b.size() ? b : a;
  const Dims& shorter = a.size() < b.size() ? a : b;
  Dims dims = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dim = dims[offset + i];
    if (dim == 1) {
      dim = shorter[i];
    } else if (shorter[i] != 1 && shorter[i] != dim) {
      return Fail("combines {} and {}: these do not fit", fmt::join(a, "x"), fmt::join(b, "x"));
    }
  }
  return dims;
}

Result<std::optional<Dims>> ReducedAxes(const Operator& op, std::size_t rank) {
  const auto asked = IntegersOf(op, "axes", 1);
  if (!asked.has_value()) return std::optional<Dims>();
  Dims axes;
  for (std::int64_t each : *asked) {
    ASSIGN_OR_RETURN(const std::size_t axis, AxisIndex(each, rank));
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.empty() && IntegerAttribute(op.node, "noop_with_empty_axes", 0) == 0) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::ranges::sort(axes);
  axes.erase(std::ranges::unique(axes).begin(), axes.end());
  return std::optional<Dims>(std::move(axes));
}

Result<InferredDims> InferByRule(const Operator& op) {
  static const std::unordered_map<std::string_view, ShapeRule> rules = {
      {"Conv", &ConvolutionDims}, {"Gemm", &Gemm},           {"MatMul", &MatMul},
      {"Concat", &JoinedDims},    {"Dropout", &SameAsFirst}, {"Flatten", &Flatten},
      {"Identity", &SameAsFirst}, {"Reshape", &ReshapeDims}, {"Split", &Split},
      {"Transpose", &Transpose},
  };
  const GraphNode node{.proto = &op.node, .reads = {}};
  switch (RoleOf(node)) {
    case OperatorRole::kPool: return PoolDims(op);
    case OperatorRole::kGlobalPool: return GlobalPool(op);
    case OperatorRole::kReduction: return ReductionDims(op);
    case OperatorRole::kPointwise: return Pointwise(op);
    case OperatorRole::kNormalisation: return SameAsFirst(op);
    default: break;
  }
  const auto found = rules.find(op.node.op_type());
  const ShapeRule rule = found == rules.end() ? FindMovingRule(op.node.op_type()) : found->second;
  return rule == nullptr ? Result<InferredDims>(kUnknownDims) : rule(op);
}

}  // namespace fairlead
