#include "fairlead/execution/executor.h"

#include <vector>

namespace fairlead {

std::vector<TensorIndex> LiveTensors(const OperatorGraph& graph, std::size_t layer) {
  std::vector<bool> known(graph.tensors.size(), false);
  std::vector<bool> needed(graph.tensors.size(), false);
  for (TensorIndex input : graph.inputs) known[input] = true;
  for (TensorIndex output : graph.outputs) needed[output] = true;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const GraphOperator& op = graph.operators[i];
    if (i < layer) {
      known[op.output] = true;
    } else {
      for (TensorIndex read : op.Reads()) needed[read] = true;
    }
  }
  std::vector<TensorIndex> live;
  for (TensorIndex i = 0; i < graph.tensors.size(); ++i) {
    if (known[i] && needed[i]) live.push_back(i);
  }
  return live;
}

std::int64_t LiveElements(const OperatorGraph& graph, std::size_t layer) {
  std::int64_t elements = 0;
  for (TensorIndex tensor : LiveTensors(graph, layer))
    elements += ElementsOf(graph.tensors[tensor].dims);
  return elements;
}

}  // namespace fairlead
