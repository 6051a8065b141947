#include "fairlead/networks/operator_traffic.h"

#include <algorithm>

namespace fairlead {
namespace {

constexpr std::int64_t kWordBytes = 4;

std::int64_t WeightBytes(const OperatorGraph& graph, const GraphOperator& op) {
  std::int64_t count = 0;
  ForEachWeights(op, [&](const WeightsPointer& weights) { count += ElementsOf(weights->dims); });
  for (TensorIndex read : op.Reads()) {
    if (graph.tensors[read].constant != nullptr) count += ElementsOf(graph.tensors[read].dims);
  }
  return count * kWordBytes;
}

// What the operator reads and writes of what is computed.
std::int64_t TensorBytes(const OperatorGraph& graph, const GraphOperator& op, std::int64_t batch) {
  if (std::holds_alternative<Reshape>(op.body)) return 0;  // moves nothing
  std::int64_t count = ElementsOf(graph.tensors[op.output].dims);
  for (TensorIndex read : op.Reads()) {
    if (graph.tensors[read].constant == nullptr) count += ElementsOf(graph.tensors[read].dims);
  }
  return batch * count * kWordBytes;
}

}  // namespace

std::vector<std::int64_t> CountTraffic(const OperatorGraph& graph, std::int64_t batch,
                                       std::int64_t cache_bytes) {
  std::int64_t largest = 0;
  std::vector<std::int64_t> tensors;
  for (const GraphOperator& op : graph.operators) {
    tensors.push_back(TensorBytes(graph, op, batch));
    largest = std::max(largest, tensors.back());
  }
  const bool weights_stay = graph.WeightCount() * kWordBytes + largest <= cache_bytes;
  std::vector<std::int64_t> traffic;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const std::int64_t weights = weights_stay ? 0 : WeightBytes(graph, graph.operators[i]);
    traffic.push_back(weights + (tensors[i] > cache_bytes ? tensors[i] : 0));
  }
  return traffic;
}

}  // namespace fairlead
