#include "fairlead/networks/graph_layers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/networks/layer.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

void LayerList::Add(Bits& bits, const Bits& others) {
  bits.resize(std::max(bits.size(), others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) bits[i] |= others[i];
}

std::uint32_t LayerList::Append(NetworkLayer layer) {
  Bits ancestors;
  for (std::uint32_t before : layer.after) {
    Add(ancestors, ancestors_[before]);
    ancestors.resize(std::max<std::size_t>(ancestors.size(), before / 64 + 1));
    ancestors[before / 64] |= std::uint64_t{1} << before % 64;
  }
  ancestors_.push_back(std::move(ancestors));
  layers_.push_back(std::move(layer));
  return static_cast<std::uint32_t>(layers_.size() - 1);
}

LayerIndices LayerList::Reduce(LayerIndices all) const {
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  if (all.size() < 2) return all;
  // A layer has only earlier ancestors, so whoever implies a layer is met before it.
  Bits implied;
  LayerIndices kept;
  for (auto candidate = all.rbegin(); candidate != all.rend(); ++candidate) {
    if (Has(implied, *candidate)) continue;
    kept.push_back(*candidate);
    Add(implied, ancestors_[*candidate]);
  }
  std::ranges::reverse(kept);
  return kept;
}

LayerIndices LayerList::Merge(const LayerIndices& a, const LayerIndices& b) const {
  LayerIndices all = a;
  all.insert(all.end(), b.begin(), b.end());
  return Reduce(std::move(all));
}

namespace {

// The shape of the layer that an operator of a graph leads, without what it absorbs.

class OperatorShapes {
 public:
  // For so many inputs at once. The graph outlives this.
  OperatorShapes(const OperatorGraph& graph, std::int64_t batch);

  // The operator costs nothing: where it pads, whoever reads its result reads its input.
  void NoteFree(const GraphOperator& op);

  LayerShape Of(const GraphOperator& op) const;
  // Of operators that read these tensors and write that one, and do not multiply.
  LayerShape OfPass(LayerKind kind, const std::vector<TensorIndex>& reads,
                    TensorIndex writes) const;

 private:
  const OperatorGraph& graph_;
  std::int64_t batch_;
  // Elements in memory behind each tensor: fewer than it has where a pool pads as it reads.
  std::vector<std::int64_t> stored_;
};

// Decides which operators of a graph share a layer.

inline constexpr std::size_t kNoLayer = std::numeric_limits<std::size_t>::max();

TensorDims AsDims(const std::array<std::int64_t, 2>& pair) { return {pair[0], pair[1]}; }

struct ShapeMaker {
  const OperatorGraph& graph;
  const GraphOperator& op;
  std::int64_t batch;
  const OperatorShapes& shapes;

  const TensorDims& In() const { return graph.tensors[op.inputs.front()].dims; }
  const TensorDims& Out() const { return graph.tensors[op.output].dims; }
  LayerShape Pass(LayerKind kind) const { return shapes.OfPass(kind, op.Reads(), op.output); }

  LayerShape operator()(const Convolution& body) const {
    const TensorDims& size = body.transposed ? In() : Out();
    const ConvolutionGeometry geometry{.batch = batch,
                                       .inputs = In()[0],
                                       .outputs = Out()[0],
                                       .groups = body.groups,
                                       .size = {size[1], size[2]},
                                       .kernel = AsDims(body.window.kernel),
                                       .strides = AsDims(body.window.stride)};
    return body.transposed ? TransposedConvolutionShape(geometry) : ConvolutionShape(geometry);
  }
  LayerShape operator()(const Linear& body) const {
    const std::int64_t outputs = body.weights->dims[0];
    return LinearShape({.batch = batch,
                        .rows = ElementsOf(Out()) / outputs,
                        .inputs = body.weights->dims[1],
                        .outputs = outputs});
  }
  LayerShape operator()(const Pool& body) const {
    return WithWindow(Pass(LayerKind::kPool), AsDims(body.window.kernel),
                      std::ranges::max(body.window.stride));
  }
  LayerShape operator()(const Reduction& body) const {
    TensorDims reduced;
    for (std::size_t axis : body.axes) reduced.push_back(In()[axis]);
    return WithWindow(Pass(LayerKind::kPool), reduced);
  }
  LayerShape operator()(const Softmax&) const { return Pass(LayerKind::kNormalisation); }
  LayerShape operator()(const LocalResponseNorm&) const { return Pass(LayerKind::kNormalisation); }
  LayerShape operator()(const Resize& body) const {
    const std::int64_t side = body.kind == ResizeKind::kLinear ? 2 : 1;
    return WithWindow(Pass(LayerKind::kResize), {side, side});
  }
  LayerShape operator()(const Opaque& body) const {
    if (body.shape.Multiplies()) return body.shape;
    LayerShape shape = Pass(body.shape.kind);
    shape.r = body.shape.r;
    shape.s = body.shape.s;
    shape.stride = body.shape.stride;
    shape.operands += body.constants / shape.n;
    const std::int64_t positions = shape.n * shape.p * shape.q;
    shape.k += (body.other_results + positions - 1) / positions;
    return shape;
  }
  LayerShape operator()(const ChannelScale&) const { return Pass(LayerKind::kElementwise); }
  LayerShape operator()(const Activation&) const { return Pass(LayerKind::kElementwise); }
  LayerShape operator()(const Binary&) const { return Pass(LayerKind::kElementwise); }
  // Those that move data.
  template <typename Other>
  LayerShape operator()(const Other&) const {
    return Pass(LayerKind::kShuffle);
  }
};

bool IsPadding(const GraphOperator& op) {
  const auto* opaque = std::get_if<Opaque>(&op.body);
  return opaque != nullptr ? opaque->role == LayerRole::kPadding
                           : std::holds_alternative<Padding>(op.body);
}

OperatorShapes::OperatorShapes(const OperatorGraph& graph, std::int64_t batch)
    : graph_(graph), batch_(batch), stored_(graph.tensors.size()) {
  for (std::size_t i = 0; i < stored_.size(); ++i) {
    const std::int64_t samples = graph.tensors[i].mixes_samples ? 1 : batch;
    stored_[i] = samples * ElementsOf(graph.tensors[i].dims);
  }
}

void OperatorShapes::NoteFree(const GraphOperator& op) {
  if (IsPadding(op)) stored_[op.output] = stored_[op.inputs.front()];
}

LayerShape OperatorShapes::Of(const GraphOperator& op) const {
  return std::visit(ShapeMaker{graph_, op, batch_, *this}, op.body);
}

LayerShape OperatorShapes::OfPass(LayerKind kind, const std::vector<TensorIndex>& reads,
                                  TensorIndex writes) const {
  std::vector<TensorIndex> distinct = reads;
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  std::int64_t operands = 0;
  for (TensorIndex tensor : distinct) {
    if (graph_.tensors[tensor].constant == nullptr) operands += stored_[tensor];
  }
  const std::int64_t samples = graph_.tensors[writes].mixes_samples ? 1 : batch_;
  LayerShape shape =
      PassShape(kind, graph_.tensors[writes].dims, (operands + samples - 1) / samples);
  shape.n = samples;
  return shape;
}

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

// For each operator: the operator that leads its layer, which may come before it (it is absorbed)
// or after it (the layer is complete there); itself for a layer of its own; kNoLayer where it is
// free.
std::vector<std::size_t> LeadersOf(const OperatorGraph& graph) { return Grouping(graph).Group(); }

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
