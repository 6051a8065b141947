#include "fairlead/networks/onnx/fusion.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "fairlead/networks/onnx/operators.h"

namespace fairlead {
namespace {

// A tensor, and the pointwise operators that work on it alone.
struct Cluster {
  std::string root;
  std::size_t anchor = kNoLayer;  // the node that computes it, if that absorbs
  std::vector<std::size_t> members;
};

class FusionPlanner {
 public:
  FusionPlanner(const OnnxGraph& graph, const TensorTable& tensors,
                const std::vector<Treatment>& treatments)
      : graph_(graph),
        tensors_(tensors),
        treatments_(treatments),
        leaders_(graph.nodes.size(), kNoLayer),
        cluster_of_node_(graph.nodes.size(), kNoLayer) {}

  std::vector<std::size_t> Plan() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) Assign(i);
    for (std::size_t c = 0; c < clusters_.size(); ++c) Group(c);
    return std::move(leaders_);
  }

 private:
  void Assign(std::size_t i) {
    const onnx::NodeProto& node = *graph_.nodes[i].proto;
    std::size_t anchor = kNoLayer;
    if (treatments_[i] == Treatment::kPointwise) {
      if (const std::size_t cluster = OnlyCluster(i); cluster != kNoLayer) {
        clusters_[cluster].members.push_back(i);
        cluster_of_node_[i] = cluster;
        for (const std::string& output : node.output()) cluster_of_[output] = cluster;
        return;
      }
      anchor = i;
    }
    if (treatments_[i] == Treatment::kLayer) anchor = i;
    if (treatments_[i] != Treatment::kFree) leaders_[i] = i;
    for (const std::string& output : node.output()) {
      cluster_of_[output] = Begin(output, anchor);
      anchor = kNoLayer;  // only the first output is what the layer computes point by point
    }
  }

  std::size_t Begin(const std::string& root, std::size_t anchor) {
    clusters_.push_back({.root = root, .anchor = anchor, .members = {}});
    return clusters_.size() - 1;
  }

  // The cluster that all of a pointwise node's inputs belong to, if its result is of the same size.
  std::size_t OnlyCluster(std::size_t i) {
    std::size_t only = kNoLayer;
    for (const std::string& name : graph_.nodes[i].reads) {
      if (tensors_.at(name).constant) continue;
      auto found = cluster_of_.find(name);
      if (found == cluster_of_.end())
        found = cluster_of_.emplace(name, Begin(name, kNoLayer)).first;  // the network's input
      if (only != kNoLayer && only != found->second) return kNoLayer;
      only = found->second;
    }
    if (only == kNoLayer) return kNoLayer;
    const TensorInfo& out = tensors_.at(graph_.nodes[i].proto->output(0));
    const TensorInfo& root = tensors_.at(clusters_[only].root);
    return out.Elements() == root.Elements() ? only : kNoLayer;
  }

  // Whether someone outside the cluster reads it; asking for its shape is not reading.
  bool Escapes(const std::string& tensor, std::size_t cluster) const {
    if (graph_.outputs.contains(tensor)) return true;
    const auto readers = graph_.readers.find(tensor);
    if (readers == graph_.readers.end()) return false;
    return std::ranges::any_of(readers->second, [&](std::size_t reader) {
      return cluster_of_node_[reader] != cluster &&
             RoleOf(graph_.nodes[reader]) != OperatorRole::kShape;
    });
  }

  void Group(std::size_t c) {
    const Cluster& cluster = clusters_[c];
    std::size_t absorber = Escapes(cluster.root, c) ? kNoLayer : cluster.anchor;
    std::vector<std::size_t> group;
    for (std::size_t member : cluster.members) {
      group.push_back(member);
      const auto& outputs = graph_.nodes[member].proto->output();
      if (std::ranges::none_of(outputs,
                               [&](const std::string& output) { return Escapes(output, c); }))
        continue;
      for (std::size_t node : group) leaders_[node] = absorber == kNoLayer ? member : absorber;
      absorber = kNoLayer;
      group.clear();
    }
  }

  const OnnxGraph& graph_;
  const TensorTable& tensors_;
  const std::vector<Treatment>& treatments_;
  std::vector<std::size_t> leaders_;
  std::vector<Cluster> clusters_;
  std::unordered_map<std::string, std::size_t> cluster_of_;
  std::vector<std::size_t> cluster_of_node_;
};

}  // namespace

std::vector<std::size_t> PlanFusion(const OnnxGraph& graph, const TensorTable& tensors,
                                    const std::vector<Treatment>& treatments) {
  return FusionPlanner(graph, tensors, treatments).Plan();
}

}  // namespace fairlead
