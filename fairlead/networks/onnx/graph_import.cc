#include "fairlead/networks/onnx/graph_import.h"

#include <utility>

#include "fairlead/networks/onnx/element_types.h"
#include "fairlead/networks/onnx/node_rules.h"
#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/opaque_nodes.h"
#include "fairlead/networks/onnx/operator_assembly.h"
#include "fairlead/networks/onnx/operators.h"
#include "fairlead/networks/onnx/stored_tensors.h"

namespace fairlead {
namespace {

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

}  // namespace

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

}  // namespace fairlead
