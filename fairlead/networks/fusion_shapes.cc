#include <algorithm>
#include <array>
#include <utility>

#include "fairlead/networks/fusion_passes.h"
#include "fairlead/networks/graph_walk.h"

namespace fairlead {
namespace {

bool AllAre(std::int64_t value, const TensorDims& numbers) {
  return std::ranges::all_of(numbers, [&](std::int64_t number) { return number == value; });
}

// Whether the order of dimensions that have more than one entry stays.
bool MovesNothing(const Transposition& transposition, const TensorDims& dims) {
  std::size_t last = 0;
  for (std::size_t axis : transposition.order) {
    if (dims[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

bool ReducesNothing(const Reduction& reduction, const TensorDims& dims) {
  return std::ranges::all_of(reduction.axes, [&](std::size_t axis) { return dims[axis] == 1; });
}

bool IsOnePoint(const ImageWindow& window) {
  const std::array<std::int64_t, 2> one{1, 1};
  const std::array<std::int64_t, 2> none{0, 0};
  return window.kernel == one && window.stride == one && window.pad_before == none &&
         window.pad_after == none;
}

// Whether the result has the numbers of the first input, in the same order.
bool OnlyReshapes(const GraphWalk& walk, const GraphOperator& op) {
  if (!op.then.empty()) return false;
  const TensorDims& in = walk.dims(op.inputs[0]);
  const TensorDims& out = walk.dims(op.output);
  if (const auto* slice = std::get_if<Slice>(&op.body))
    return in == out && AllAre(0, slice->start) && AllAre(1, slice->step);
  if (const auto* transposition = std::get_if<Transposition>(&op.body))
    return MovesNothing(*transposition, in);
  if (const auto* padding = std::get_if<Padding>(&op.body))
    return AllAre(0, padding->before) && AllAre(0, padding->after);
  if (const auto* reduction = std::get_if<Reduction>(&op.body))
    return ReducesNothing(*reduction, in);
  if (const auto* activation = std::get_if<Activation>(&op.body))
    return activation->kind == ActivationKind::kLinear && activation->alpha == 1 &&
           activation->beta == 0;
  if (const auto* pool = std::get_if<Pool>(&op.body)) return IsOnePoint(pool->window);
  if (std::holds_alternative<Resize>(op.body)) return in == out;
  if (std::holds_alternative<Concatenation>(op.body)) return op.inputs.size() == 1;
  return std::holds_alternative<Reshape>(op.body);
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
                        .then = {}};
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
    if (OnlyReshapes(walk, op))
      KeepAsReshape(walk, std::move(op));
    else if (const Reduction* reduction = OverWholeImages(walk, op))
      KeepAsPool(walk, std::move(op), reduction->kind);
    else
      walk.Keep(std::move(op));
  });
}

}  // namespace fairlead
