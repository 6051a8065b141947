#include "fairlead/serving/network_info.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

TensorType TypeOf(ElementType element) {
  switch (element) {
    case ElementType::kFp32: break;
    case ElementType::kFp16: return TensorType::kFp16;
    case ElementType::kBf16: return TensorType::kBf16;
    case ElementType::kFp64: return TensorType::kFp64;
    case ElementType::kBool: return TensorType::kBool;
    case ElementType::kInt8: return TensorType::kInt8;
    case ElementType::kInt16: return TensorType::kInt16;
    case ElementType::kInt32: return TensorType::kInt32;
    case ElementType::kInt64: return TensorType::kInt64;
    case ElementType::kUint8: return TensorType::kUint8;
    case ElementType::kUint16: return TensorType::kUint16;
    case ElementType::kUint32: return TensorType::kUint32;
    case ElementType::kUint64: return TensorType::kUint64;
  }
  return TensorType::kFp32;
}

std::vector<TensorInfo> InfosOf(const OperatorGraph& graph,
                                const std::vector<TensorIndex>& tensors) {
  std::vector<TensorInfo> infos;
  for (const TensorIndex tensor : tensors) {
    TensorInfo info{.name = graph.tensors[tensor].name,
                    .type = TypeOf(graph.tensors[tensor].element),
                    .shape = {graph.open_batch ? -1 : 1}};
    const TensorDims& dims = graph.tensors[tensor].dims;
    info.shape.insert(info.shape.end(), dims.begin(), dims.end());
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace

NetworkInfo InfoOf(std::string name, const OperatorGraph& graph) {
  const bool loaded = !graph.operators.empty();
  return {.name = std::move(name),
          .inputs = InfosOf(graph, graph.inputs),
          .outputs = InfosOf(graph, graph.outputs),
          .ready = loaded,
          .reason = loaded ? "" : "it is not loaded"};
}

Duration LongestSegment(const LoadedNetworks& networks, NetworkId network) {
  Duration longest{};
  for (const RunPool& pool : networks.pools()) {
    if (pool.network != network || pool.batch != 1) continue;
    for (const Duration segment : pool.measured) longest = std::max(longest, segment);
  }
  return longest;
}

}  // namespace fairlead
