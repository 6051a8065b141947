#include "fairlead/networks/operator_fusion.h"

#include <utility>

#include "fairlead/networks/fusion_passes.h"

namespace fairlead {

OperatorGraph FuseOperators(OperatorGraph graph, std::span<const std::size_t> segments) {
  graph = EvaluateConstants(std::move(graph));
  graph = ScalesFromConstants(std::move(graph));
  graph = SimplifyShapes(std::move(graph));
  graph = RecogniseActivations(std::move(graph));
  graph = FoldScales(std::move(graph));
  graph = FoldPadding(std::move(graph));
  return AbsorbPostOperations(std::move(graph), segments);
}

}  // namespace fairlead
