#include <algorithm>
#include <utility>

#include "fairlead/networks/fusion_passes.h"
#include "fairlead/networks/graph_walk.h"
#include "fairlead/networks/operator_role.h"

namespace fairlead {
namespace {

// Whether the operator as it is, with all that it does, only reshapes.
bool IsReshape(const GraphWalk& walk, const GraphOperator& op) {
  if (!op.then.empty()) return false;
  if (std::holds_alternative<Concatenation>(op.body)) return op.inputs.size() == 1;
  return OnlyReshapes(op.body, walk.dims(op.inputs[0]), walk.dims(op.output));
}

// The mean or maximum over height and width of an image.
const Reduction* OverWholeImages(const GraphWalk& walk, const GraphOperator& op) {
  const auto* reduction = PlainBody<Reduction>(&op);
  if (reduction == nullptr || reduction->kind == ReductionKind::kSum) return nullptr;
  if (walk.dims(op.inputs[0]).size() != 3) return nullptr;
  std::vector<std::size_t> axes = reduction->axes;
  std::ranges::sort(axes);
  return axes == std::vector<std::size_t>{1, 2} ? reduction : nullptr;
}

void KeepAsPool(GraphWalk& walk, GraphOperator op, ReductionKind kind) {
  const TensorDims image = walk.dims(op.inputs[0]);
  const TensorDims pooled{image[0], 1, 1};
  op.body = Pool{.kind = kind == ReductionKind::kMean ? PoolKind::kAverage : PoolKind::kMax,
                 .window = {.kernel = {image[1], image[2]}}};
  if (walk.dims(op.output) == pooled) {
    walk.Keep(std::move(op));
    return;
  }
  const TensorIndex kept_dims = walk.NewTensor(op.name + ".pooled", pooled);
  GraphOperator reshape{.name = op.name + ".reshape",
                        .body = Reshape{},
                        .inputs = {kept_dims},
                        .output = op.output,
                        .then = {},
                        .layer = op.layer};
  op.output = kept_dims;
  walk.Keep(std::move(op));
  walk.Keep(std::move(reshape));
}

void KeepAsReshape(GraphWalk& walk, GraphOperator op) {
  const GraphOperator* before = walk.ProducerOf(op.inputs[0]);
  if (PlainBody<Reshape>(before) != nullptr) walk.ReadInstead(op, before->inputs);
  if (walk.dims(op.inputs[0]) == walk.dims(op.output) && walk.HandOn(op)) return;
  op.body = Reshape{};
  walk.Keep(std::move(op));
}

}  // namespace

OperatorGraph SimplifyShapes(OperatorGraph graph) {
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    if (IsReshape(walk, op))
      KeepAsReshape(walk, std::move(op));
    else if (const Reduction* reduction = OverWholeImages(walk, op))
      KeepAsPool(walk, std::move(op), reduction->kind);
    else
      walk.Keep(std::move(op));
  });
}

}  // namespace fairlead
