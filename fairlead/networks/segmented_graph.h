// A network whose segments are ranges of its layers, as operators that an executor carries out one
// after the other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

struct SegmentedGraph {
  OperatorGraph graph;              // fused
  std::vector<std::size_t> bounds;  // the operators at which segments begin, and how many there are
};

// `layers` are the layers at which segments begin, and how many layers there are: those of
// FindLayers, or it is an error. Nothing is fused across segments. A segment may have no operators,
// if all that it does is of no effect.
Result<SegmentedGraph> FuseInSegments(OperatorGraph graph, std::span<const std::size_t> layers);

}  // namespace fairlead
