#include "fairlead/networks/layer_grouping.h"

#include <algorithm>
#include <utility>

#include "fairlead/networks/operator_role.h"

namespace fairlead {
namespace {

bool PadsAsItReads(const GraphOperator& op) {
  if (const auto* convolution = std::get_if<Convolution>(&op.body)) return !convolution->transposed;
  const auto* opaque = std::get_if<Opaque>(&op.body);
  if (opaque == nullptr) return std::holds_alternative<Pool>(op.body);
  const LayerKind kind = opaque->shape.kind;
  return opaque->role == LayerRole::kLayer &&
         (kind == LayerKind::kConvolution || kind == LayerKind::kDepthwise ||
          kind == LayerKind::kPool);
}

// A tensor, and the pointwise operators that work on it alone.
struct Cluster {
  TensorIndex root = 0;
  std::size_t anchor = kNoLayer;  // the operator that computes it, if that absorbs
  std::vector<std::size_t> members;
};

class Grouping {
 public:
  explicit Grouping(const OperatorGraph& graph)
      : graph_(graph),
        readers_(graph.tensors.size()),
        is_output_(graph.tensors.size(), false),
        leaders_(graph.operators.size(), kNoLayer),
        cluster_of_(graph.tensors.size(), kNoLayer),
        cluster_of_operator_(graph.operators.size(), kNoLayer) {
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
      for (TensorIndex tensor : graph.operators[i].Reads()) readers_[tensor].push_back(i);
    }
    for (TensorIndex output : graph.outputs) is_output_[output] = true;
  }

  std::vector<std::size_t> Group() {
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) Assign(i);
    for (std::size_t c = 0; c < clusters_.size(); ++c) Lead(c);
    return std::move(leaders_);
  }

 private:
  LayerRole Role(std::size_t i) const {
    const GraphOperator& op = graph_.operators[i];
    const LayerRole role = LayerRoleOf(graph_, op);
    if (role != LayerRole::kPadding) return role;
    const auto& readers = readers_[op.output];
    const bool padded = !readers.empty() && !is_output_[op.output] &&
                        std::ranges::all_of(readers, [&](std::size_t reader) {
                          return PadsAsItReads(graph_.operators[reader]);
                        });
    return padded ? LayerRole::kFree : LayerRole::kAlone;
  }

  void Assign(std::size_t i) {
    const TensorIndex output = graph_.operators[i].output;
    const LayerRole role = Role(i);
    if (role == LayerRole::kPointwise) {
      if (const std::size_t cluster = OnlyCluster(i); cluster != kNoLayer) {
        clusters_[cluster].members.push_back(i);
        cluster_of_operator_[i] = cluster;
        cluster_of_[output] = cluster;
        return;
      }
    }
    if (role != LayerRole::kFree) leaders_[i] = i;
    const bool absorbs = role == LayerRole::kPointwise || role == LayerRole::kLayer;
    cluster_of_[output] = Begin(output, absorbs ? i : kNoLayer);
  }

  std::size_t Begin(TensorIndex root, std::size_t anchor) {
    clusters_.push_back({.root = root, .anchor = anchor, .members = {}});
    return clusters_.size() - 1;
  }

  std::int64_t Elements(TensorIndex tensor) const {
    return ElementsOf(graph_.tensors[tensor].dims);
  }

  // The cluster that all of a pointwise operator's inputs belong to, if its result is of the same
  // size.
  std::size_t OnlyCluster(std::size_t i) {
    std::size_t only = kNoLayer;
    for (TensorIndex tensor : graph_.operators[i].Reads()) {
      if (graph_.tensors[tensor].constant != nullptr) continue;
      if (cluster_of_[tensor] == kNoLayer)
        cluster_of_[tensor] = Begin(tensor, kNoLayer);  // the network's input
      if (only != kNoLayer && only != cluster_of_[tensor]) return kNoLayer;
      only = cluster_of_[tensor];
    }
    if (only == kNoLayer) return kNoLayer;
    const bool same = Elements(graph_.operators[i].output) == Elements(clusters_[only].root);
    return same ? only : kNoLayer;
  }

  // Whether someone outside the cluster reads it.
  bool Escapes(TensorIndex tensor, std::size_t cluster) const {
    return is_output_[tensor] || std::ranges::any_of(readers_[tensor], [&](std::size_t reader) {
             return cluster_of_operator_[reader] != cluster;
           });
  }

  void Lead(std::size_t c) {
    const Cluster& cluster = clusters_[c];
    std::size_t absorber = Escapes(cluster.root, c) ? kNoLayer : cluster.anchor;
    std::vector<std::size_t> group;
    for (std::size_t member : cluster.members) {
      group.push_back(member);
      if (!Escapes(graph_.operators[member].output, c)) continue;
      for (std::size_t i : group) leaders_[i] = absorber == kNoLayer ? member : absorber;
      absorber = kNoLayer;
      group.clear();
    }
  }

  const OperatorGraph& graph_;
  std::vector<std::vector<std::size_t>> readers_;  // of each tensor, by operator
  std::vector<bool> is_output_;
  std::vector<std::size_t> leaders_;
  std::vector<Cluster> clusters_;
  std::vector<std::size_t> cluster_of_;  // each tensor
  std::vector<std::size_t> cluster_of_operator_;
};

}  // namespace

std::vector<std::size_t> LeadersOf(const OperatorGraph& graph) { return Grouping(graph).Group(); }

}  // namespace fairlead
