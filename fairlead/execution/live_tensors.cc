#include "fairlead/execution/live_tensors.h"

#include <algorithm>
#include <numeric>

namespace fairlead {

namespace {

constexpr std::size_t kAlignment = 64;

std::size_t Aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

MemoryPlan PlanMemory(std::span<const BufferLife> buffers) {
  MemoryPlan plan{.offsets = std::vector<std::size_t>(buffers.size(), 0)};
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });

  std::vector<std::size_t> placed;  // by increasing offset
  for (std::size_t buffer : order) {
    const BufferLife& life = buffers[buffer];
    std::size_t offset = 0;
    for (std::size_t other : placed) {
      const BufferLife& neighbour = buffers[other];
      if (neighbour.last < life.first || life.last < neighbour.first) continue;
      if (offset + Aligned(life.bytes) <= plan.offsets[other]) break;
      offset = std::max(offset, plan.offsets[other] + Aligned(neighbour.bytes));
    }
    plan.offsets[buffer] = offset;
    plan.bytes = std::max(plan.bytes, offset + Aligned(life.bytes));
    const auto place = std::ranges::upper_bound(
        placed, offset, {}, [&](std::size_t other) { return plan.offsets[other]; });
    placed.insert(place, buffer);
  }
  return plan;
}

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
