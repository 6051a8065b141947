#include "fairlead/execution/live_tensors.h"

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

std::vector<std::int64_t> LiveElementsByLayer(const OperatorGraph& graph) {
  const std::size_t layers = graph.operators.size();
  // Alive from the boundary where a tensor is known to the one before its last reader.
  constexpr std::size_t kNoBoundary = SIZE_MAX;
  std::vector<std::size_t> known(graph.tensors.size(), kNoBoundary);
  std::vector<std::size_t> last(graph.tensors.size(), kNoBoundary);
  for (TensorIndex input : graph.inputs) known[input] = 0;
  for (std::size_t i = 0; i < layers; ++i) {
    known[graph.operators[i].output] = i + 1;
    for (TensorIndex read : graph.operators[i].Reads()) last[read] = i;
  }
  for (TensorIndex output : graph.outputs) last[output] = layers;

  std::vector<std::int64_t> elements(layers + 2, 0);  // changes first, then their sums
  for (TensorIndex i = 0; i < graph.tensors.size(); ++i) {
    if (known[i] == kNoBoundary || last[i] == kNoBoundary) continue;
    const std::int64_t count = ElementsOf(graph.tensors[i].dims);
    elements[known[i]] += count;
    elements[last[i] + 1] -= count;
  }
  for (std::size_t i = 1; i < elements.size(); ++i) elements[i] += elements[i - 1];
  elements.pop_back();
  return elements;
}

}  // namespace fairlead
