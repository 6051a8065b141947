#include "fairlead/networks/operator_role.h"

#include <algorithm>
#include <array>

namespace fairlead {
namespace {

bool AllAre(std::int64_t value, const TensorDims& numbers) {
  return std::ranges::all_of(numbers, [&](std::int64_t number) { return number == value; });
}

bool IsOnePoint(const ImageWindow& window) {
  const std::array<std::int64_t, 2> one{1, 1};
  const std::array<std::int64_t, 2> none{0, 0};
  return window.kernel == one && window.stride == one && window.pad_before == none &&
         window.pad_after == none;
}

struct ReshapeFinder {
  const TensorDims& in;
  const TensorDims& out;

  bool operator()(const Slice& slice) const {
    return in == out && AllAre(0, slice.start) && AllAre(1, slice.step);
  }
  // Whether the order of dimensions that have more than one entry stays.
  bool operator()(const Transposition& transposition) const {
    std::size_t last = 0;
    for (std::size_t axis : transposition.order) {
      if (in[axis] == 1) continue;
      if (axis < last) return false;
      last = axis;
    }
    return true;
  }
  bool operator()(const Padding& padding) const {
    return AllAre(0, padding.before) && AllAre(0, padding.after);
  }
  bool operator()(const Reduction& reduction) const {
    return std::ranges::all_of(reduction.axes, [&](std::size_t axis) { return in[axis] == 1; });
  }
  bool operator()(const Activation& activation) const {
    return activation.kind == ActivationKind::kLinear && activation.alpha == 1 &&
           activation.beta == 0;
  }
  bool operator()(const Pool& pool) const { return IsOnePoint(pool.window); }
  bool operator()(const Resize&) const { return in == out; }
  bool operator()(const Reshape&) const { return true; }
  template <typename Other>
  bool operator()(const Other&) const {
    return false;
  }
};

struct RoleFinder {
  LayerRole operator()(const Convolution&) const { return LayerRole::kLayer; }
  LayerRole operator()(const Linear&) const { return LayerRole::kLayer; }
  LayerRole operator()(const Pool&) const { return LayerRole::kLayer; }
  LayerRole operator()(const Softmax&) const { return LayerRole::kLayer; }
  LayerRole operator()(const LocalResponseNorm&) const { return LayerRole::kLayer; }
  LayerRole operator()(const Reduction&) const { return LayerRole::kLayer; }
  LayerRole operator()(const ChannelScale&) const { return LayerRole::kPointwise; }
  LayerRole operator()(const Activation&) const { return LayerRole::kPointwise; }
  LayerRole operator()(const Binary&) const { return LayerRole::kPointwise; }
  LayerRole operator()(const Transposition&) const { return LayerRole::kAlone; }
  LayerRole operator()(const Resize&) const { return LayerRole::kAlone; }
  LayerRole operator()(const Padding&) const { return LayerRole::kPadding; }
  // Producers write into their place of the whole, and consumers read from theirs.
  LayerRole operator()(const Concatenation&) const { return LayerRole::kFree; }
  LayerRole operator()(const Slice&) const { return LayerRole::kFree; }
  LayerRole operator()(const Reshape&) const { return LayerRole::kFree; }
  LayerRole operator()(const Opaque& opaque) const { return opaque.role; }
};

}  // namespace

bool OnlyReshapes(const OperatorBody& body, const TensorDims& in, const TensorDims& out) {
  return std::visit(ReshapeFinder{in, out}, body);
}

LayerRole LayerRoleOf(const OperatorGraph& graph, const GraphOperator& op) {
  const LayerRole role = std::visit(RoleFinder{}, op.body);
  if (role == LayerRole::kPointwise || std::holds_alternative<Opaque>(op.body)) return role;
  const TensorDims& in = graph.tensors[op.inputs.front()].dims;
  return OnlyReshapes(op.body, in, graph.tensors[op.output].dims) ? LayerRole::kFree : role;
}

}  // namespace fairlead
