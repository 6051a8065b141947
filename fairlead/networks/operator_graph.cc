#include "fairlead/networks/operator_graph.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace fairlead {

std::int64_t ElementsOf(const TensorDims& dims) {
  std::int64_t elements = 1;
  for (std::int64_t dim : dims) elements *= dim;
  return elements;
}

std::string_view NameOf(const OperatorBody& body) {
  struct Namer {
    std::string_view operator()(const Convolution&) const { return "Convolution"; }
    std::string_view operator()(const Linear&) const { return "Linear"; }
    std::string_view operator()(const Pool&) const { return "Pool"; }
    std::string_view operator()(const ChannelScale&) const { return "ChannelScale"; }
    std::string_view operator()(const Activation&) const { return "Activation"; }
    std::string_view operator()(const Binary&) const { return "Binary"; }
    std::string_view operator()(const Concatenation&) const { return "Concatenation"; }
    std::string_view operator()(const Slice&) const { return "Slice"; }
    std::string_view operator()(const Transposition&) const { return "Transposition"; }
    std::string_view operator()(const Reshape&) const { return "Reshape"; }
    std::string_view operator()(const Resize&) const { return "Resize"; }
    std::string_view operator()(const Softmax&) const { return "Softmax"; }
    std::string_view operator()(const LocalResponseNorm&) const { return "LocalResponseNorm"; }
    std::string_view operator()(const Reduction&) const { return "Reduction"; }
    std::string_view operator()(const Padding&) const { return "Padding"; }
    std::string_view operator()(const Opaque& opaque) const { return opaque.type; }
  };
  return std::visit(Namer{}, body);
}

std::vector<TensorIndex> GraphOperator::Reads() const {
  std::vector<TensorIndex> reads = inputs;
  for (const PostOperation& post : then) {
    if (const auto* added = std::get_if<AddedTensor>(&post)) reads.push_back(added->tensor);
  }
  return reads;
}

std::int64_t OperatorGraph::WeightCount() const {
  std::unordered_set<const Weights*> seen;
  std::int64_t count = 0;
  const auto add = [&](const WeightsPointer& weights) {
    if (seen.insert(weights.get()).second) count += ElementsOf(weights->dims);
  };
  for (const GraphTensor& tensor : tensors) {
    if (tensor.constant != nullptr) add(tensor.constant);
  }
  for (const GraphOperator& op : operators) ForEachWeights(op, add);
  return count;
}

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

namespace {

constexpr std::int64_t kWordBytes = 4;

std::int64_t WeightBytes(const OperatorGraph& graph, const GraphOperator& op) {
  std::int64_t count = 0;
  ForEachWeights(op, [&](const WeightsPointer& weights) { count += ElementsOf(weights->dims); });
  for (TensorIndex read : op.Reads()) {
    if (graph.tensors[read].constant != nullptr) count += ElementsOf(graph.tensors[read].dims);
  }
  return count * kWordBytes;
}

// What the operator reads and writes of what is computed.
std::int64_t TensorBytes(const OperatorGraph& graph, const GraphOperator& op, std::int64_t batch) {
  if (std::holds_alternative<Reshape>(op.body)) return 0;  // moves nothing
  std::int64_t count = ElementsOf(graph.tensors[op.output].dims);
  for (TensorIndex read : op.Reads()) {
    if (graph.tensors[read].constant == nullptr) count += ElementsOf(graph.tensors[read].dims);
  }
  return batch * count * kWordBytes;
}

}  // namespace

std::vector<std::int64_t> CountTraffic(const OperatorGraph& graph, std::int64_t batch,
                                       std::int64_t cache_bytes) {
  std::int64_t largest = 0;
  std::vector<std::int64_t> tensors;
  for (const GraphOperator& op : graph.operators) {
    tensors.push_back(TensorBytes(graph, op, batch));
    largest = std::max(largest, tensors.back());
  }
  const bool weights_stay = graph.WeightCount() * kWordBytes + largest <= cache_bytes;
  std::vector<std::int64_t> traffic;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const std::int64_t weights = weights_stay ? 0 : WeightBytes(graph, graph.operators[i]);
    traffic.push_back(weights + (tensors[i] > cache_bytes ? tensors[i] : 0));
  }
  return traffic;
}

}  // namespace fairlead
