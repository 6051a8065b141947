#include "fairlead/networks/onnx/onnx_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "fairlead/base/result.h"
#include "fairlead/networks/graph_layers.h"
#include "fairlead/networks/layer.h"
#include "fairlead/networks/onnx/node_rules.h"
#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/operator_assembly.h"
#include "fairlead/networks/onnx/shape_rules.h"
#include "fairlead/networks/onnx/stored_tensors.h"
#include "fairlead/networks/onnx/tensor_inference.h"
#include "fairlead/networks/onnx/tensor_info.h"
#include "fairlead/networks/onnx/weight_source.h"
#include "fairlead/networks/operator_graph.h"
#include "fairlead/networks/weight_drawing.h"

namespace fairlead {
namespace {

// The one way from an ONNX file to a graph.

struct ImportedGraph {
  OperatorGraph graph;
  WarningList warnings;      // of what is described roughly
  InferredTensors inferred;  // what the file says of its tensors
};

// A sum of elements that is no longer believable, far from overflow.
constexpr std::int64_t kManyElements = 200'000'000'000'000;

// Whether the dimensions that are not 1 stay in order, so that no element moves.
bool MovesNothing(const onnx::NodeProto& node, const Dims& in) {
  Dims order = IntegersAttribute(node, "perm");
  if (order.empty()) {
    order.resize(in.size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  std::erase_if(order, [&](std::int64_t axis) { return in[static_cast<std::size_t>(axis)] == 1; });
  return std::ranges::is_sorted(order);
}

// One node, whose result is its output number `output`.
class Describer {
 public:
  Describer(NodeImport& node, int output) : node_(node), output_(output) {
    opaque_.type = node.proto().op_type();
  }

  Result<Opaque> Describe() {
    RETURN_IF_ERROR(DescribeRole());
    AddWeights();
    return std::move(opaque_);
  }

 private:
  const Dims& In() const { return *node_.op().InputDims(0); }
  const Dims* Weights() const { return node_.op().InputDims(1); }
  Dims Out() const { return node_.Info(node_.proto().output(output_)).dims.value_or(Dims{1}); }

  Status DescribeRole() {
    const OperatorRole role = RoleOf(node_.node());
    if (node_.op().InputDims(0) == nullptr) {
      if (role == OperatorRole::kView) return Free();
      return Unknown();
    }
    const bool same = Out() == In();
    switch (role) {
      case OperatorRole::kConvolution: return Convolution();
      case OperatorRole::kTransposedConvolution: return TransposedConvolution();
      case OperatorRole::kLinear: return Linear();
      case OperatorRole::kPool: return Pool();
      case OperatorRole::kGlobalPool:
        return Pass(LayerRole::kLayer, LayerKind::kPool, Spatial(In()));
      case OperatorRole::kReduction: return Reduction();
      case OperatorRole::kNormalisation: return Pass(LayerRole::kLayer, LayerKind::kNormalisation);
      case OperatorRole::kPointwise: return Pass(LayerRole::kPointwise, LayerKind::kElementwise);
      case OperatorRole::kResize: return same ? Free() : Resize();
      case OperatorRole::kTranspose: return MovesNothing(node_.proto(), In()) ? Free() : Copy();
      case OperatorRole::kCopy: return same && opaque_.type != "Gather" ? Free() : Copy();
      case OperatorRole::kPad:
        return same ? Free() : Pass(LayerRole::kPadding, LayerKind::kShuffle);
      case OperatorRole::kView: return Free();
      default: return Unknown();
    }
  }

  Status Free() { return Pass(LayerRole::kFree, LayerKind::kOther); }
  Status Copy() { return Pass(LayerRole::kAlone, LayerKind::kShuffle); }

  Status Pass(LayerRole role, LayerKind kind, const Dims& kernel = {1, 1},
              std::int64_t stride = 1) {
    opaque_.role = role;
    opaque_.shape = WithWindow({.kind = kind}, kernel, stride);
    return {};
  }

  Status Multiply(const LayerShape& shape) {
    opaque_.role = LayerRole::kLayer;
    opaque_.shape = shape;
    return {};
  }

  Result<ConvolutionGeometry> Geometry(std::int64_t outputs, const Dims& size) {
    ASSIGN_OR_RETURN(const Window window,
                     ReadWindow(node_.proto(), In().size() - 2, Spatial(*Weights())));
    return ConvolutionGeometry{.batch = In()[0],
                               .inputs = In()[1],
                               .outputs = outputs,
                               .groups = IntegerAttribute(node_.proto(), "group", 1),
                               .size = Spatial(size),
                               .kernel = window.kernel,
                               .strides = window.strides};
  }

  Status Convolution() {
    if (Weights() == nullptr) return Unknown();
    ASSIGN_OR_RETURN(const auto geometry, Geometry(Weights()->front(), Out()));
    return Multiply(ConvolutionShape(geometry));
  }

  Status TransposedConvolution() {
    if (Weights() == nullptr) return Unknown();
    const std::int64_t groups = IntegerAttribute(node_.proto(), "group", 1);
    const auto outputs = CountElements({(*Weights())[1], groups});
    if (!outputs.has_value()) return Fail("has more outputs than can be believed");
    ASSIGN_OR_RETURN(const auto geometry, Geometry(*outputs, In()));
    return Multiply(TransposedConvolutionShape(geometry));
  }

  // Rows of the first operand are positions; those of a batch, inputs. Where the second operand has
  // several matrices, each is a group.
  Status Linear() {
    const Dims* b = Weights();
    if (b == nullptr || In().size() < 2 || b->size() < 2) return Unknown();
    const bool turned = opaque_.type == "Gemm" && IntegerAttribute(node_.proto(), "transB", 0) != 0;
    ProductGeometry geometry{.inputs = (*b)[b->size() - (turned ? 1 : 2)],
                             .outputs = Out().back(),
                             .matrices = ElementsOf(Dims(b->begin(), b->end() - 2))};
    const std::int64_t rows = ElementsOf(Out()) / geometry.outputs / geometry.matrices;
    geometry.batch = rows % node_.batch() == 0 ? node_.batch() : 1;
    geometry.rows = rows / geometry.batch;
    return Multiply(LinearShape(geometry));
  }

  Status Pool() {
    ASSIGN_OR_RETURN(const Window window, ReadWindow(node_.proto(), In().size() - 2, {}));
    if (window.IsOnePoint()) return Free();
    return Pass(LayerRole::kLayer, LayerKind::kPool, window.kernel,
                std::ranges::max(window.strides));
  }

  Status Reduction() {
    ASSIGN_OR_RETURN(const auto axes, ReducedAxes(node_.op(), In().size()));
    Dims reduced;
    for (std::int64_t axis : axes.value_or(Dims{}))
      reduced.push_back(In()[static_cast<std::size_t>(axis)]);
    return Pass(LayerRole::kLayer, LayerKind::kPool, reduced);
  }

  Status Resize() {
    const std::string mode = TextAttribute(node_.proto(), "mode", "nearest");
    const std::int64_t side = mode == "linear" ? 2 : mode == "cubic" ? 4 : 1;
    return Pass(LayerRole::kAlone, LayerKind::kResize, {side, side});
  }

  // Everything it reads, weights included, and everything it writes.
  Status Unknown() {
    const auto add = [](std::int64_t& sum, const OnnxTensorInfo& info) {
      if (info.dims.has_value()) sum = std::min(sum + info.Elements(), kManyElements);
    };
    for (const std::string& name : node_.node().reads) {
      if (node_.Info(name).constant) add(opaque_.constants, node_.Info(name));
    }
    for (int i = 0; i < node_.proto().output_size(); ++i) {
      const std::string& name = node_.proto().output(i);
      if (i != output_ && !name.empty()) add(opaque_.other_results, node_.Info(name));
    }
    node_.Warn(fmt::format("operator '{}' is not known: costs what it reads and writes",
                           Printable(opaque_.type)));
    return Pass(LayerRole::kAlone, LayerKind::kOther);
  }

  // Trained numbers: not what says where to move data. A batch norm's mean and variance are not
  // trained either.
  void AddWeights() {
    const OperatorRole role = RoleOf(node_.node());
    if (role == OperatorRole::kCopy || role == OperatorRole::kPad ||
        role == OperatorRole::kResize || role == OperatorRole::kReduction ||
        opaque_.role == LayerRole::kFree)
      return;
    const std::size_t most = opaque_.type == "BatchNormalization" ? 3 : node_.op().inputs.size();
    for (std::size_t i = 0; i < std::min(most, node_.op().inputs.size()); ++i) {
      if (!node_.IsConstant(i)) continue;
      if (auto weights = node_.Constant(i); weights.has_value())
        opaque_.weights.push_back(std::move(*weights));
    }
  }

  NodeImport& node_;
  int output_;
  Opaque opaque_;
};

// The node becomes an Opaque operator, with a free one for each further output that is read. Fails
// where the node cannot be right.
Status ImportOpaque(NodeImport& node) {
  int first = 0;
  while (first + 1 < node.proto().output_size() && !node.IsNeeded(first)) ++first;
  ASSIGN_OR_RETURN(Opaque opaque, Describer(node, first).Describe());
  ASSIGN_OR_RETURN(const TensorIndex result,
                   node.EmitOpaque(std::move(opaque), node.AllData(), first));
  for (int i = first + 1; i < node.proto().output_size(); ++i) {
    if (!node.IsNeeded(i)) continue;
    RETURN_IF_ERROR(
        node.EmitOpaque({.type = node.proto().op_type(), .role = LayerRole::kFree}, {result}, i));
  }
  return {};
}

// Where a convolution's shape as a layer says less than the operator.
Status WarnOfShape(NodeImport& node) {
  const Dims* in = node.op().InputDims(0);
  const Dims* weights = node.op().InputDims(1);
  if (in == nullptr || weights == nullptr) return {};
  ASSIGN_OR_RETURN(const Window window,
                   ReadWindow(node.proto(), in->size() - 2, Spatial(*weights)));
  if (std::ranges::min(window.strides) != std::ranges::max(window.strides))
    node.Warn(fmt::format("strides {}: the input is counted as with the largest",
                          fmt::join(window.strides, "x")));
  if (window.IsDilated()) node.Warn("dilation: the input is counted as if there were none");
  if (window.kernel.size() > 2)
    node.Warn(fmt::format("{} spatial dimensions: counted as two", window.kernel.size()));
  return {};
}

NodeRule FindRule(const GraphNode& node) {
  if (!node.IsStandard()) return nullptr;
  for (const auto find : {&FindWindowRule, &FindLinearRule, &FindPointwiseRule, &FindReducingRule,
                          &FindMovingNodeRule}) {
    if (const NodeRule rule = find(node.proto->op_type())) return rule;
  }
  return nullptr;
}

class GraphImporter {
 public:
  GraphImporter(const OnnxGraph& graph, const InferredTensors& inferred, WeightSource& weights)
      : graph_(graph), inferred_(inferred), assembly_(inferred, weights) {}

  Status Run() {
    for (const auto& input : graph_.graph().input()) {
      const auto info = inferred_.tensors.find(input.name());
      if (info == inferred_.tensors.end() || info->second.constant) continue;
      RETURN_IF_ERROR(assembly_.AddInput(input.name()));
    }
    for (const GraphNode& node : graph_.nodes) {
      if (auto status = ImportNode(node); !status.has_value())
        return Fail("{}: {}", Describe(*node.proto), status.error().message);
    }
    for (const auto& output : graph_.graph().output())
      RETURN_IF_ERROR(assembly_.AddOutput(output.name()));
    return {};
  }

  OperatorGraph TakeGraph() { return assembly_.Take(); }
  WarningList TakeWarnings() { return std::move(assembly_.warnings()); }

 private:
  // Whether an output depends on the network's input; the others are weights.
  bool IsComputed(const GraphNode& node) const {
    for (const std::string& output : node.proto->output()) {
      if (!output.empty() && !inferred_.tensors.at(output).constant) return true;
    }
    return false;
  }

  Status ImportNode(const GraphNode& node) {
    if (!IsComputed(node)) return {};
    Operator op{*node.proto, graph_.opset, {}};
    for (const std::string& name : node.proto->input())
      op.inputs.push_back(name.empty() ? nullptr : &inferred_.tensors.at(name));
    NodeImport import(graph_, node, std::move(op), assembly_);
    if (!assembly_.Describes()) return ImportByRule(import);
    if (RoleOf(node) == OperatorRole::kConvolution) RETURN_IF_ERROR(WarnOfShape(import));
    const OperatorAssembly::Extent before = assembly_.extent();
    if (ImportByRule(import).has_value()) return {};
    assembly_.CutBack(before);
    import.BeginAgain();
    return ImportOpaque(import);
  }

  static Status ImportByRule(NodeImport& import) {
    const NodeRule rule = FindRule(import.node());
    if (rule == nullptr) return Fail("no executor carries out this operator");
    const onnx::NodeProto& proto = import.proto();
    for (int i = 1; i < proto.output_size() && proto.op_type() != "Split"; ++i) {
      if (import.IsNeeded(i))
        return Fail("its output '{}' is read; no executor computes more than the first",
                    proto.output(i));
    }
    RETURN_IF_ERROR(CheckNumbers(import));
    RETURN_IF_ERROR(import.InferOutputs());
    return rule(import);
  }

  // Whole numbers and truth values may be moved about, and become floats: who computes with them
  // would round where floats do not.
  static Status CheckNumbers(const NodeImport& import) {
    const std::string& type = import.proto().op_type();
    if (type == "Cast" || type == "Identity" || type == "Dropout" ||
        FindMovingNodeRule(type) != nullptr)
      return {};
    for (const OnnxTensorInfo* input : import.op().inputs) {
      if (input != nullptr && !input->constant && !IsFloatType(input->type))
        return Fail("computes with {}; no executor does: convert them to floats first (Cast)",
                    TypeName(input->type));
    }
    return {};
  }

  const OnnxGraph& graph_;
  const InferredTensors& inferred_;
  OperatorAssembly assembly_;
};

// Without values of weights, operators that no executor carries out become Opaque ones; otherwise
// the first of them is an error. Errors do not name the file.
Result<ImportedGraph> ImportGraph(std::string_view bytes, const WeightSource::Options& options) {
  ASSIGN_OR_RETURN(const OnnxGraph graph, ReadOnnxGraph(bytes));
  ASSIGN_OR_RETURN(InferredTensors inferred, InferTensors(graph));
  WeightSource weights(graph, inferred, bytes, options);
  GraphImporter importer(graph, inferred, weights);
  RETURN_IF_ERROR(importer.Run());
  OperatorGraph operators = importer.TakeGraph();
  operators.open_batch = inferred.open_batch;
  return ImportedGraph{.graph = std::move(operators),
                       .warnings = importer.TakeWarnings(),
                       .inferred = std::move(inferred)};
}

// "3x224x224" for one sample.
std::string DescribeInputs(const std::vector<Dims>& all) {
  std::vector<std::string> inputs;
  for (const Dims& dims : all) {
    const Dims rest(dims.begin() + (dims.size() > 1 ? 1 : 0), dims.end());
    inputs.push_back(fmt::format("{}", fmt::join(rest, "x")));
  }
  return fmt::format("{}", fmt::join(inputs, " "));
}

Result<ImportedNetwork> ImportLayers(std::string_view bytes) {
  ASSIGN_OR_RETURN(const ImportedGraph imported,
                   ImportGraph(bytes, {.values = WeightValues::kNone}));
  ASSIGN_OR_RETURN(GraphLayers found, FindLayers(imported.graph, imported.inferred.batch));
  if (found.layers.empty()) return Fail("has no operator that costs anything");
  ImportedNetwork result{.network = {.layers = std::move(found.layers)},
                         .warnings = imported.warnings.Lines()};
  std::ranges::copy(imported.inferred.warnings.Lines(), std::back_inserter(result.warnings));
  if (imported.inferred.batch > 1)
    result.warnings.push_back(fmt::format(
        "the file is for {} inputs at once, and so are all counts", imported.inferred.batch));
  result.network.input = DescribeInputs(imported.inferred.inputs);
  return result;
}

Result<OperatorGraph> ImportWithValues(std::string_view bytes,
                                       const OperatorImportOptions& options) {
  const bool draws = options.weights_seed.has_value();
  ASSIGN_OR_RETURN(
      ImportedGraph imported,
      ImportGraph(bytes, {.values = draws ? WeightValues::kPresent : WeightValues::kAll,
                          .most_weights = options.most_weights}));
  if (!draws) return std::move(imported.graph);
  return DrawWeights(std::move(imported.graph), *options.weights_seed);
}

// With the file's name in every message. ONNX's library throws; our own errors are Results.
template <typename Import>
auto Named(std::string_view file, const Import& import) -> decltype(import()) {
  try {
    auto imported = import();
    if (!imported.has_value()) return Fail("{}: {}", file, imported.error().message);
    return imported;
  } catch (const std::exception& error) {
    return Fail("{}: ONNX does not accept it: {}", file, error.what());
  }
}

}  // namespace

Result<ImportedNetwork> ImportOnnx(std::string_view file, std::string_view bytes) {
  auto imported = Named(file, [&] { return ImportLayers(bytes); });
  if (!imported.has_value()) return imported;
  imported->network.name = NetworkNameOf(file);
  imported->network.description = fmt::format("imported from {}", file);
  return imported;
}

Result<OperatorGraph> ImportOperators(std::string_view file, std::string_view bytes,
                                      const OperatorImportOptions& options) {
  auto graph = Named(file, [&] { return ImportWithValues(bytes, options); });
  if (graph.has_value()) graph->name = NetworkNameOf(file);
  return graph;
}

}  // namespace fairlead
