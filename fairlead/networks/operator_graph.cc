#include "fairlead/networks/operator_graph.h"

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

}  // namespace fairlead
