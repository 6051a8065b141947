#include <memory>
#include <optional>
#include <utility>

#include "fairlead/networks/constant_operand.h"
#include "fairlead/networks/fusion_passes.h"
#include "fairlead/networks/graph_walk.h"
#include "fairlead/networks/scale_and_shift.h"

namespace fairlead {
namespace {

const Activation* AsScale(const GraphOperator* op) {
  const auto* activation = PlainBody<Activation>(op);
  return activation != nullptr && activation->kind == ActivationKind::kLinear ? activation
                                                                              : nullptr;
}

// What the operator does to each of so many channels; none if it is no scale.
std::optional<ScalesAndShifts> ChannelScales(const GraphOperator& op, std::int64_t channels) {
  const auto count = static_cast<std::size_t>(channels);
  if (const Activation* scale = AsScale(&op))
    return ScalesAndShifts(count, {scale->alpha, scale->beta});
  const auto* scale = PlainBody<ChannelScale>(&op);
  if (scale == nullptr) return std::nullopt;
  ScalesAndShifts scales(count);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (scale->scale != nullptr) scales[i].alpha = scale->scale->values[i];
    if (scale->shift != nullptr) scales[i].beta = scale->shift->values[i];
  }
  return scales;
}

// One scale in place of two; none if one of them is none.
std::optional<OperatorBody> Merged(const GraphOperator& first, const GraphOperator& second,
                                   const TensorDims& dims) {
  const Activation* a = AsScale(&first);
  const Activation* b = AsScale(&second);
  if (a != nullptr && b != nullptr) {
    const ScaleAndShift scale = ScaleAndShift{a->alpha, a->beta}.Then({b->alpha, b->beta});
    return Activation{ActivationKind::kLinear, scale.alpha, scale.beta};
  }
  // Channels without a number each may be more than there is memory for.
  const bool channels =
      PlainBody<ChannelScale>(&first) != nullptr || PlainBody<ChannelScale>(&second) != nullptr;
  if (!channels || dims.empty()) return std::nullopt;
  const std::optional<ScalesAndShifts> others = ChannelScales(second, dims[0]);
  if (!others.has_value()) return std::nullopt;  // then the first may have other channels
  std::optional<ScalesAndShifts> scales = ChannelScales(first, dims[0]);
  if (!scales.has_value()) return std::nullopt;
  for (std::size_t i = 0; i < scales->size(); ++i) (*scales)[i] = (*scales)[i].Then((*others)[i]);
  return AsChannelScale(*scales);
}

// Weights whose i-th block of `block` numbers belongs to the output `output_of(i)`.
template <typename OutputOf>
WeightsPointer ScaledWeights(const Weights& weights, const ScalesAndShifts& scales,
                             std::int64_t block, OutputOf output_of) {
  Weights scaled = weights;
  auto value = scaled.values.begin();
  for (std::int64_t i = 0; value != scaled.values.end(); ++i) {
    const float alpha = scales[static_cast<std::size_t>(output_of(i))].alpha;
    for (std::int64_t j = 0; j < block; ++j) *value++ *= alpha;
  }
  return std::make_shared<const Weights>(std::move(scaled));
}

WeightsPointer ScaledBias(const WeightsPointer& bias, ScalesAndShifts scales) {
  if (bias != nullptr) {
    for (std::size_t i = 0; i < scales.size(); ++i)
      scales[i] = ScaleAndShift{.alpha = 0, .beta = bias->values[i]}.Then(scales[i]);
  }
  return PartOf(scales, &ScaleAndShift::beta);
}

Convolution Scaled(Convolution convolution, const ScalesAndShifts& scales) {
  const Weights& weights = *convolution.weights;
  const std::int64_t kernel = weights.dims[2] * weights.dims[3];
  if (convolution.transposed) {
    const std::int64_t inputs = weights.dims[0] / convolution.groups;
    const std::int64_t outputs = weights.dims[1];
    convolution.weights = ScaledWeights(weights, scales, kernel, [=](std::int64_t block) {
      const std::int64_t group = block / outputs / inputs;
      return group * outputs + block % outputs;
    });
  } else {
    convolution.weights = ScaledWeights(weights, scales, weights.dims[1] * kernel,
                                        [](std::int64_t block) { return block; });
  }
  convolution.bias = ScaledBias(convolution.bias, scales);
  return convolution;
}

Linear Scaled(Linear linear, const ScalesAndShifts& scales) {
  linear.weights = ScaledWeights(*linear.weights, scales, linear.weights->dims[1],
                                 [](std::int64_t block) { return block; });
  linear.bias = ScaledBias(linear.bias, scales);
  return linear;
}

// What the operator does to each output of a linear layer, the last dimension.
std::optional<ScalesAndShifts> OutputScales(const GraphWalk& walk, const GraphOperator& op) {
  const TensorDims& dims = walk.dims(op.output);
  if (dims.size() == 1 || AsScale(&op) != nullptr) return ChannelScales(op, dims.back());
  const std::optional<ConstantOperand> operand = ConstantOperandOf(walk, op);
  if (!operand.has_value() || !op.then.empty() || operand->dims.empty()) return std::nullopt;
  if (operand->dims.back() != dims.back() || ElementsOf(operand->dims) != dims.back())
    return std::nullopt;
  return operand->AsScalesAndShifts();
}

// The tensor that the operator scales, if it does.
TensorIndex ScaledTensor(const GraphWalk& walk, const GraphOperator& op) {
  const std::optional<ConstantOperand> operand = ConstantOperandOf(walk, op);
  return operand.has_value() ? operand->computed : op.inputs[0];
}

// The layer with the scale that follows it; none if that is no scale, or no layer.
std::optional<OperatorBody> Folded(const GraphWalk& walk, const GraphOperator& layer,
                                   const GraphOperator& scale) {
  if (walk.dims(scale.output).empty()) return std::nullopt;
  if (const auto* convolution = PlainBody<Convolution>(&layer)) {
    const auto scales = ChannelScales(scale, walk.dims(scale.output)[0]);
    if (scales.has_value()) return Scaled(*convolution, *scales);
  } else if (const auto* linear = PlainBody<Linear>(&layer)) {
    const auto scales = OutputScales(walk, scale);
    if (scales.has_value()) return Scaled(*linear, *scales);
  }
  return std::nullopt;
}

}  // namespace

OperatorGraph FoldScales(OperatorGraph graph) {
  // Scales first, so that weights are scaled only once.
  graph = GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    if (const GraphOperator* before = walk.ProducerForThisOnly(op.inputs[0])) {
      if (auto merged = Merged(*before, op, walk.dims(op.output))) {
        op.body = std::move(*merged);
        walk.ReadInstead(op, before->inputs);
      }
    }
    walk.Keep(std::move(op));
  });
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    if (GraphOperator* before = walk.ProducerForThisOnly(ScaledTensor(walk, op))) {
      if (auto folded = Folded(walk, *before, op)) {
        before->body = std::move(*folded);
        walk.LetCompute(*before, op.output);
        return;
      }
    }
    walk.Keep(std::move(op));
  });
}

}  // namespace fairlead
