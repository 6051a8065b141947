// The layers of a network, from its operators: what costs are known for, and what schedules are
// made of. The one place that decides which operators share a layer; docs/guide/networks.md has the
// reasons.
//
// Pointwise operators that work on one tensor alone, however many (a batch norm and x * sigmoid(x),
// for one), go into the layer that computes that tensor, if nothing else reads what lies between.
// Otherwise they are one layer together: a layer for each result that others read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/layer.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Layers in the order in which they are appended, with dependencies that others imply left out: a
// layer that waits for b does not also list a when b waits for a.
//
// Remembers for each layer all its ancestors, a bit for each: n layers take n * n / 16 bytes.

// Indices of layers, ascending.
using LayerIndices = std::vector<std::uint32_t>;

class LayerList {
 public:
  // `layer.after` has been merged. Returns the index of the new layer.
  std::uint32_t Append(NetworkLayer layer);

  // All of them, in any order and repeated perhaps, without what the rest implies.
  LayerIndices Reduce(LayerIndices all) const;
  LayerIndices Merge(const LayerIndices& a, const LayerIndices& b) const;

  NetworkLayer& operator[](std::uint32_t index) { return layers_[index]; }
  std::size_t size() const { return layers_.size(); }
  std::vector<NetworkLayer> Take() { return std::move(layers_); }

 private:
  using Bits = std::vector<std::uint64_t>;
  static bool Has(const Bits& bits, std::uint32_t index) {
    return index / 64 < bits.size() && (bits[index / 64] >> index % 64 & 1) != 0;
  }
  static void Add(Bits& bits, const Bits& others);

  std::vector<NetworkLayer> layers_;
  std::vector<Bits> ancestors_;  // of each layer, only as many words as it takes
};

struct GraphLayers {
  std::vector<NetworkLayer> layers;
  // Of each operator. Those that cost nothing are with the last layer that they wait for, or with
  // the first where they wait for none.
  std::vector<std::uint32_t> layer_of;
};

// For so many inputs at once. Fails above 20'000 layers, 4 million dependencies or 10^14
// parameters, or where a layer's counts are not to be believed. Graphs may be fused or not.
Result<GraphLayers> FindLayers(const OperatorGraph& graph, std::int64_t batch = 1);

// The same of a graph of our own, where failing is a bug.
std::vector<NetworkLayer> LayersOf(const OperatorGraph& graph);

// The graph with its operators in the order of their layers, each marked with its own. Fusing it
// keeps order and marks.
OperatorGraph OrderByLayers(OperatorGraph graph, const GraphLayers& layers);

}  // namespace fairlead
