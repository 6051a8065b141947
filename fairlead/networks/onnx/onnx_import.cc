#include "fairlead/networks/onnx/onnx_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fairlead/networks/layer_list.h"
#include "fairlead/networks/onnx/fusion.h"
#include "fairlead/networks/onnx/layer_shapes.h"
#include "fairlead/networks/onnx/names.h"
#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/operators.h"
#include "fairlead/networks/onnx/tensor_inference.h"
#include "fairlead/networks/onnx/warning_list.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostLayers = 20'000;
constexpr std::size_t kMostDependencies = 4'000'000;
constexpr std::int64_t kMostParameters = 100'000'000'000'000;

class LayerEmitter {
 public:
  LayerEmitter(const OnnxGraph& graph, const InferredTensors& inferred)
      : graph_(graph), inferred_(inferred), layer_of_node_(graph.nodes.size()) {}

  Status Run() {
    std::vector<Treatment> treatments;
    for (const GraphNode& node : graph_.nodes) {
      const auto treatment = TreatmentOf(graph_, inferred_, node);
      if (!treatment.has_value()) return At(node, treatment.error().message);
      treatments.push_back(*treatment);
    }
    const std::vector<std::size_t> leaders = PlanFusion(graph_, inferred_.tensors, treatments);
    std::unordered_map<std::size_t, std::vector<std::size_t>> groups;  // those complete at a node
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      Status status;
      if (leaders[i] == kNoLayer) {
        status = PassOn(i);
      } else if (leaders[i] < i) {
        Absorb(i, leaders[i]);
      } else {
        groups[leaders[i]].push_back(i);
        if (leaders[i] == i) status = Lead(groups[i]);
      }
      if (!status.has_value()) return At(graph_.nodes[i], status.error().message);
    }
    if (parameters_ > kMostParameters) return Fail("has more than {} parameters", kMostParameters);
    return {};
  }

  ImportedNetwork Take() {
    return {.network = {.layers = layers_.Take()}, .warnings = warnings_.Lines()};
  }

 private:
  static tl::unexpected<Error> At(const GraphNode& node, const std::string& message) {
    return Fail("{}: {}", Describe(*node.proto), message);
  }

  bool IsConstant(const std::string& name) const { return inferred_.tensors.at(name).constant; }

  // What the tensors wait for.
  LayerIndices Before(const std::vector<std::string>& names) const {
    LayerIndices all;
    for (const std::string& name : names) {
      const auto found = from_.find(name);
      if (found != from_.end()) all.insert(all.end(), found->second.begin(), found->second.end());
    }
    return layers_.Reduce(std::move(all));
  }

  Status CountDependencies(std::size_t more) {
    dependencies_ += more;
    if (dependencies_ <= kMostDependencies) return {};
    return Fail("the network has more than {} dependencies", kMostDependencies);
  }

  // A free operator: its results wait for what its inputs wait for.
  Status PassOn(std::size_t i) {
    const LayerIndices before = Before(graph_.nodes[i].reads);
    for (const std::string& output : graph_.nodes[i].proto->output()) {
      RETURN_IF_ERROR(CountDependencies(before.size()));
      from_[output] = before;
    }
    return {};
  }

  void Absorb(std::size_t i, std::size_t leader) {
    layers_[layer_of_node_[leader]].parameters += Parameters(graph_.nodes[i]);
    for (const std::string& output : graph_.nodes[i].proto->output())
      from_[output] = {layer_of_node_[leader]};
  }

  // The group's layer; its last node is the leader.
  Status Lead(const std::vector<std::size_t>& group) {
    if (layers_.size() >= kMostLayers)
      return Fail("the network has more than {} layers", kMostLayers);
    const std::vector<std::string> reads = ReadsOf(group);
    const GraphNode& leader = graph_.nodes[group.back()];
    NetworkLayer layer{.name = names_.NameOf(graph_.nodes[group.front()]), .after = Before(reads)};
    RETURN_IF_ERROR(CountDependencies(layer.after.size()));
    if (group.size() > 1) {
      layer.shape = DescribePointwise(inferred_, reads, leader.proto->output(0));
    } else {
      ASSIGN_OR_RETURN(DescribedLayer described, DescribeLayer(graph_, inferred_, leader));
      layer.shape = described.shape;
      for (const std::string& warning : described.warnings) warnings_.Add(warning, layer.name);
    }
    if (!IsBelievable(layer.shape)) return Fail("its layer is too large to be believed");
    for (std::size_t i : group) layer.parameters += Parameters(graph_.nodes[i]);
    if (layer.shape.kind == LayerKind::kOther)
      warnings_.Add(fmt::format("operator '{}' is not known: costs what it reads and writes",
                                Printable(leader.proto->op_type())),
                    layer.name);
    layer_of_node_[group.back()] = layers_.Append(std::move(layer));
    for (std::size_t i : group) {
      for (const std::string& output : graph_.nodes[i].proto->output())
        from_[output] = {layer_of_node_[group.back()]};
    }
    return {};
  }

  // What a group takes from outside.
  std::vector<std::string> ReadsOf(const std::vector<std::size_t>& group) const {
    std::unordered_set<std::string> inside;
    std::vector<std::string> reads;
    for (std::size_t i : group) {
      for (const std::string& name : graph_.nodes[i].reads) {
        if (!inside.contains(name)) reads.push_back(name);
      }
      inside.insert(graph_.nodes[i].proto->output().begin(), graph_.nodes[i].proto->output().end());
    }
    return reads;
  }

  // Trained numbers that a node brings: each counts where it is first used. A batch norm's mean and
  // variance are not trained.
  std::int64_t Parameters(const GraphNode& node) {
    const bool batch_norm = node.proto->op_type() == "BatchNormalization";
    const OperatorRole role = RoleOf(node);
    if (role == OperatorRole::kCopy || role == OperatorRole::kPad ||
        role == OperatorRole::kResize || role == OperatorRole::kReduction)
      return 0;
    std::int64_t total = 0;
    for (int i = 0; i < node.proto->input_size() && (!batch_norm || i < 3); ++i) {
      const std::string& name = node.proto->input(i);
      if (name.empty() || !IsConstant(name)) continue;
      const TensorInfo& info = inferred_.tensors.at(name);
      if (!info.dims.has_value() || info.IsInteger()) continue;
      const std::int64_t elements = info.Elements();
      if (parameters_ + total > kMostParameters) break;  // refused in the end
      if (elements > 1 && counted_.insert(name).second) total += elements;
    }
    parameters_ += total;
    return total;
  }

  const OnnxGraph& graph_;
  const InferredTensors& inferred_;
  LayerList layers_;
  std::vector<std::uint32_t> layer_of_node_;  // of those that lead one
  std::unordered_map<std::string, LayerIndices> from_;
  NodeNames names_;
  std::unordered_set<std::string> counted_;  // weights
  WarningList warnings_;
  std::size_t dependencies_ = 0;
  std::int64_t parameters_ = 0;
};

Result<ImportedNetwork> Import(std::string_view bytes) {
  ASSIGN_OR_RETURN(const OnnxGraph graph, ReadOnnxGraph(bytes));
  ASSIGN_OR_RETURN(InferredTensors inferred, InferTensors(graph));
  LayerEmitter emitter(graph, inferred);
  RETURN_IF_ERROR(emitter.Run());
  ImportedNetwork imported = emitter.Take();
  if (imported.network.layers.empty()) return Fail("has no operator that costs anything");
  std::ranges::copy(inferred.warnings.Lines(), std::back_inserter(imported.warnings));
  if (inferred.batch > 1)
    imported.warnings.push_back(
        fmt::format("the file is for {} inputs at once, and so are all counts", inferred.batch));
  std::vector<std::string> inputs;
  for (const Dims& dims : inferred.inputs) {
    const Dims rest(dims.begin() + (dims.size() > 1 ? 1 : 0), dims.end());
    inputs.push_back(fmt::format("{}", fmt::join(rest, "x")));
  }
  imported.network.input = fmt::format("{}", fmt::join(inputs, " "));
  return imported;
}

}  // namespace

Result<ImportedNetwork> ImportOnnx(std::string_view file, std::string_view bytes) {
  try {
    auto imported = Import(bytes);
    if (!imported.has_value()) return Fail("{}: {}", file, imported.error().message);
    imported->network.name = NetworkNameOf(file);
    imported->network.description = fmt::format("imported from {}", file);
    return imported;
  } catch (const std::exception& error) {  // the library's; ours are Results
    return Fail("{}: ONNX does not accept it: {}", file, error.what());
  }
}

}  // namespace fairlead
