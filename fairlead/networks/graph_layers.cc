#include "fairlead/networks/graph_layers.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/networks/layer_grouping.h"
#include "fairlead/networks/layer_list.h"
#include "fairlead/networks/layer_shapes.h"
#include "fairlead/networks/operator_shape.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostLayers = 20'000;
constexpr std::size_t kMostDependencies = 4'000'000;
constexpr std::int64_t kMostParameters = 100'000'000'000'000;

class LayerFinder {
 public:
  LayerFinder(const OperatorGraph& graph, std::int64_t batch)
      : graph_(graph),
        shapes_(graph, batch),
        layer_of_(graph.operators.size()),
        from_(graph.tensors.size()) {}

  Result<GraphLayers> Find() {
    const std::vector<std::size_t> leaders = LeadersOf(graph_);
    std::unordered_map<std::size_t, std::vector<std::size_t>> groups;  // those complete at one
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      if (leaders[i] == kNoLayer) {
        RETURN_IF_ERROR(PassOn(i));
      } else if (leaders[i] < i) {
        Join(i, layer_of_[leaders[i]]);
      } else {
        groups[leaders[i]].push_back(i);
        if (leaders[i] == i) RETURN_IF_ERROR(Lead(groups[i]));
      }
    }
    if (parameters_ > kMostParameters) return Fail("has more than {} parameters", kMostParameters);
    return GraphLayers{.layers = layers_.Take(), .layer_of = std::move(layer_of_)};
  }

 private:
  const GraphOperator& Op(std::size_t i) const { return graph_.operators[i]; }

  // What the tensors wait for.
  LayerIndices Before(const std::vector<TensorIndex>& tensors) const {
    LayerIndices all;
    for (TensorIndex tensor : tensors)
      all.insert(all.end(), from_[tensor].begin(), from_[tensor].end());
    return layers_.Reduce(std::move(all));
  }

  Status CountDependencies(std::size_t more) {
    dependencies_ += more;
    if (dependencies_ <= kMostDependencies) return {};
    return Fail("the network has more than {} dependencies", kMostDependencies);
  }

  // A free operator: its result waits for what its inputs wait for.
  Status PassOn(std::size_t i) {
    shapes_.NoteFree(Op(i));
    LayerIndices before = Before(Op(i).Reads());
    layer_of_[i] = before.empty() ? 0 : before.back();
    RETURN_IF_ERROR(CountDependencies(before.size()));
    from_[Op(i).output] = std::move(before);
    return {};
  }

  void Join(std::size_t i, std::uint32_t layer) {
    layer_of_[i] = layer;
    layers_[layer].parameters += Parameters(Op(i));
    from_[Op(i).output] = {layer};
  }

  // The group's layer; its last operator leads.
  Status Lead(const std::vector<std::size_t>& group) {
    if (layers_.size() >= kMostLayers)
      return Fail("the network has more than {} layers", kMostLayers);
    const std::vector<TensorIndex> reads = ReadsOf(group);
    const GraphOperator& leader = Op(group.back());
    NetworkLayer layer{.name = Op(group.front()).name, .after = Before(reads)};
    RETURN_IF_ERROR(CountDependencies(layer.after.size()));
    layer.shape = group.size() > 1 ? shapes_.OfPass(LayerKind::kElementwise, reads, leader.output)
                                   : shapes_.Of(leader);
    if (!IsBelievable(layer.shape))
      return Fail("layer '{}' is too large to be believed", layer.name);
    const std::uint32_t index = layers_.Append(std::move(layer));
    for (std::size_t i : group) Join(i, index);
    return {};
  }

  // What a group takes from outside.
  std::vector<TensorIndex> ReadsOf(const std::vector<std::size_t>& group) const {
    std::unordered_set<TensorIndex> inside;
    std::vector<TensorIndex> reads;
    for (std::size_t i : group) {
      for (TensorIndex tensor : Op(i).Reads()) {
        if (!inside.contains(tensor)) reads.push_back(tensor);
      }
      inside.insert(Op(i).output);
    }
    return reads;
  }

  // Trained numbers that an operator brings: each counts where it is first used. Single numbers are
  // constants of the arithmetic.
  std::int64_t Parameters(const GraphOperator& op) {
    std::int64_t total = 0;
    const auto count = [&](const WeightsPointer& weights) {
      const Weights* original =
          weights->original == nullptr ? weights.get() : weights->original.get();
      const std::int64_t elements = ElementsOf(weights->dims);
      if (parameters_ + total > kMostParameters) return;  // refused in the end
      if (elements > 1 && counted_.insert(original).second) total += elements;
    };
    ForEachWeights(op, count);
    for (TensorIndex read : op.Reads()) {
      if (graph_.tensors[read].constant != nullptr) count(graph_.tensors[read].constant);
    }
    parameters_ += total;
    return total;
  }

  const OperatorGraph& graph_;
  OperatorShapes shapes_;
  LayerList layers_;
  std::vector<std::uint32_t> layer_of_;  // by operator
  std::vector<LayerIndices> from_;       // by tensor: what it waits for
  std::unordered_set<const Weights*> counted_;
  std::size_t dependencies_ = 0;
  std::int64_t parameters_ = 0;
};

}  // namespace

Result<GraphLayers> FindLayers(const OperatorGraph& graph, std::int64_t batch) {
  return LayerFinder(graph, batch).Find();
}

std::vector<NetworkLayer> LayersOf(const OperatorGraph& graph) {
  auto found = FindLayers(graph);
  CHECK_MSG(found.has_value(), found.error().message);
  return std::move(found->layers);
}

OperatorGraph OrderByLayers(OperatorGraph graph, const GraphLayers& layers) {
  for (std::size_t i = 0; i < graph.operators.size(); ++i)
    graph.operators[i].layer = layers.layer_of[i];
  std::ranges::stable_sort(graph.operators, {}, &GraphOperator::layer);
  return graph;
}

}  // namespace fairlead
