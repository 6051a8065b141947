#include "fairlead/networks/segmented_graph.h"

#include <algorithm>
#include <utility>

#include "fairlead/networks/graph_layers.h"
#include "fairlead/networks/operator_fusion.h"

namespace fairlead {

Result<SegmentedGraph> FuseInSegments(OperatorGraph graph, std::span<const std::size_t> layers) {
  ASSIGN_OR_RETURN(const GraphLayers found, FindLayers(graph));
  if (found.layers.size() != layers.back())
    return Fail("has {} layers to run, and costs for {}", found.layers.size(), layers.back());
  SegmentedGraph result{.graph = FuseOperators(OrderByLayers(std::move(graph), found), layers),
                        .bounds = {}};
  const std::vector<GraphOperator>& operators = result.graph.operators;
  for (std::size_t layer : layers) {
    const auto first = std::ranges::lower_bound(operators, layer, {}, &GraphOperator::layer);
    result.bounds.push_back(static_cast<std::size_t>(first - operators.begin()));
  }
  return result;
}

}  // namespace fairlead
