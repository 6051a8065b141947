// The shape of the layer that an operator of a graph leads, without what it absorbs.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/networks/layer.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

class OperatorShapes {
 public:
  // For so many inputs at once. The graph outlives this.
  OperatorShapes(const OperatorGraph& graph, std::int64_t batch);

  // The operator costs nothing: where it pads, whoever reads its result reads its input.
  void NoteFree(const GraphOperator& op);

  LayerShape Of(const GraphOperator& op) const;
  // Of operators that read these tensors and write that one, and do not multiply.
  LayerShape OfPass(LayerKind kind, const std::vector<TensorIndex>& reads,
                    TensorIndex writes) const;

 private:
  const OperatorGraph& graph_;
  std::int64_t batch_;
  // Elements in memory behind each tensor: fewer than it has where a pool pads as it reads.
  std::vector<std::int64_t> stored_;
};

}  // namespace fairlead
