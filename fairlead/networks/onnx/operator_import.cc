#include "fairlead/networks/onnx/operator_import.h"

#include <exception>
#include <utility>

#include "fairlead/networks/onnx/names.h"
#include "fairlead/networks/onnx/node_rules.h"
#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/operator_assembly.h"
#include "fairlead/networks/onnx/tensor_inference.h"
#include "fairlead/networks/onnx/weight_source.h"

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

  Result<OperatorGraph> Run() {
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
    return assembly_.Take();
  }

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
    const NodeRule rule = FindRule(node);
    if (rule == nullptr) return Fail("no executor carries out this operator");
    Operator op{*node.proto, graph_.opset, {}};
    for (const std::string& name : node.proto->input())
      op.inputs.push_back(name.empty() ? nullptr : &inferred_.tensors.at(name));
    NodeImport import(graph_, node, std::move(op), assembly_);
    for (int i = 1; i < node.proto->output_size() && node.proto->op_type() != "Split"; ++i) {
      if (import.IsNeeded(i))
        return Fail("its output '{}' is read; no executor computes more than the first",
                    node.proto->output(i));
    }
    RETURN_IF_ERROR(import.InferOutputs());
    return rule(import);
  }

  const OnnxGraph& graph_;
  const InferredTensors& inferred_;
  OperatorAssembly assembly_;
};

Result<OperatorGraph> Import(std::string_view bytes, const OperatorImportOptions& options) {
  ASSIGN_OR_RETURN(const OnnxGraph graph, ReadOnnxGraph(bytes));
  ASSIGN_OR_RETURN(const InferredTensors inferred, InferTensors(graph));
  WeightSource weights(graph, inferred, bytes,
                       {.seed = options.weights_seed, .most_weights = options.most_weights});
  return GraphImporter(graph, inferred, weights).Run();
}

}  // namespace

Result<OperatorGraph> ImportOperators(std::string_view file, std::string_view bytes,
                                      const OperatorImportOptions& options) {
  try {
    auto graph = Import(bytes, options);
    if (!graph.has_value()) return Fail("{}: {}", file, graph.error().message);
    graph->name = NetworkNameOf(file);
    return graph;
  } catch (const std::exception& error) {  // the library's; ours are Results
    return Fail("{}: ONNX does not accept it: {}", file, error.what());
  }
}

}  // namespace fairlead
