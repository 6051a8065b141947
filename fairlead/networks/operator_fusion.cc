#include "fairlead/networks/operator_fusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/graph_layers.h"
#include "fairlead/networks/graph_walk.h"
#include "fairlead/networks/operator_graph.h"
#include "fairlead/networks/reference_operators.h"

namespace fairlead {

Result<RunnableNetwork> FuseInSegments(OperatorGraph graph, std::span<const std::size_t> layers) {
  ASSIGN_OR_RETURN(const GraphLayers found, FindLayers(graph));
  if (found.layers.size() != layers.back())
    return Fail("has {} layers to run, and costs for {}", found.layers.size(), layers.back());
  RunnableNetwork result{.graph = FuseOperators(OrderByLayers(std::move(graph), found), layers),
                         .bounds = {}};
  const std::vector<GraphOperator>& operators = result.graph.operators;
  for (std::size_t layer : layers) {
    const auto first = std::ranges::lower_bound(operators, layer, {}, &GraphOperator::layer);
    result.bounds.push_back(static_cast<std::size_t>(first - operators.begin()));
  }
  return result;
}

namespace {

// Scales and shifts: what batch norms, and arithmetic with constants, do to numbers.

// alpha x + beta.
struct ScaleAndShift {
  float alpha = 1;
  float beta = 0;

  // This first, then the other.
  ScaleAndShift Then(const ScaleAndShift& other) const {
    return {alpha * other.alpha, beta * other.alpha + other.beta};
  }
};

// One for each channel, or for each output of a layer.
using ScalesAndShifts = std::vector<ScaleAndShift>;

// Arithmetic of a computed tensor with a constant: what it does to each number.

struct ConstantOperand {
  BinaryKind kind = BinaryKind::kAdd;
  bool first = false;  // the constant is the first operand
  TensorDims dims;     // of the constant
  WeightsPointer values;
  TensorIndex computed = 0;  // the other operand

  // The scales that the constant's numbers stand for, in order; none where one is no scale.
  std::optional<ScalesAndShifts> AsScalesAndShifts() const;
};

// All alphas or all betas, as weights.
WeightsPointer PartOf(const ScalesAndShifts& scales, float ScaleAndShift::*part) {
  Weights weights{.dims = {static_cast<std::int64_t>(scales.size())}, .values = {}};
  weights.values.reserve(scales.size());
  for (const ScaleAndShift& scale : scales) weights.values.push_back(scale.*part);
  return std::make_shared<const Weights>(std::move(weights));
}

ChannelScale AsChannelScale(const ScalesAndShifts& scales) {
  return {PartOf(scales, &ScaleAndShift::alpha), PartOf(scales, &ScaleAndShift::beta)};
}

std::optional<ScaleAndShift> ScaleOf(BinaryKind kind, bool constant_first, float constant) {
  switch (kind) {
    case BinaryKind::kAdd: return ScaleAndShift{1, constant};
    case BinaryKind::kSubtract:
      return constant_first ? ScaleAndShift{-1, constant} : ScaleAndShift{1, -constant};
    case BinaryKind::kMultiply: return ScaleAndShift{constant, 0};
    case BinaryKind::kDivide:
      if (constant_first || !std::isfinite(1 / constant)) return std::nullopt;
      return ScaleAndShift{1 / constant, 0};
    case BinaryKind::kMaximum:
    case BinaryKind::kMinimum: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ScalesAndShifts> ConstantOperand::AsScalesAndShifts() const {
  ScalesAndShifts scales;
  scales.reserve(values->values.size());
  for (float value : values->values) {
    const std::optional<ScaleAndShift> scale = ScaleOf(kind, first, value);
    if (!scale.has_value()) return std::nullopt;
    scales.push_back(*scale);
  }
  return scales;
}

// None if the operator is anything else, or if the constant stretches the other operand.
std::optional<ConstantOperand> ConstantOperandOf(const GraphWalk& walk, const GraphOperator& op) {
  const auto* binary = std::get_if<Binary>(&op.body);
  if (binary == nullptr) return std::nullopt;
  const bool first = walk.tensor(op.inputs[0]).constant != nullptr;
  const GraphTensor& constant = walk.tensor(op.inputs[first ? 0 : 1]);
  const TensorIndex computed = op.inputs[first ? 1 : 0];
  if (constant.constant == nullptr || walk.tensor(computed).constant != nullptr)
    return std::nullopt;
  if (walk.dims(computed) != walk.dims(op.output)) return std::nullopt;
  return ConstantOperand{binary->kind, first, constant.dims, constant.constant, computed};
}

// The operator's result, if all that it reads is constant.
WeightsPointer Evaluated(const GraphWalk& walk, const GraphOperator& op) {
  std::vector<SampleView> reads;
  for (TensorIndex index : op.Reads()) {
    const GraphTensor& tensor = walk.tensor(index);
    if (tensor.constant == nullptr) return nullptr;
    reads.push_back({tensor.dims, tensor.constant->values});
  }
  const TensorDims& dims = walk.dims(op.output);
  return MakeWeights(dims, ReferenceSample(op, reads, dims));
}

std::optional<OperatorBody> WithOneNumber(const ConstantOperand& operand) {
  const float constant = operand.values->values[0];
  if (operand.kind == BinaryKind::kMaximum)
    return Activation{ActivationKind::kClip, constant, std::numeric_limits<float>::infinity()};
  if (operand.kind == BinaryKind::kMinimum)
    return Activation{ActivationKind::kClip, -std::numeric_limits<float>::infinity(), constant};
  const std::optional<ScalesAndShifts> scales = operand.AsScalesAndShifts();
  if (!scales.has_value()) return std::nullopt;
  return Activation{ActivationKind::kLinear, scales->front().alpha, scales->front().beta};
}

std::optional<OperatorBody> WithOneForEachChannel(const ConstantOperand& operand) {
  const std::optional<ScalesAndShifts> scales = operand.AsScalesAndShifts();
  if (!scales.has_value()) return std::nullopt;
  return AsChannelScale(*scales);
}

// Whether a tensor of dimensions `constant`, stretched to `dims`, has a number for each channel.
bool IsForEachChannel(const TensorDims& constant, const TensorDims& dims) {
  return constant.size() == dims.size() && !dims.empty() && constant[0] == dims[0] &&
         ElementsOf(constant) == dims[0];
}

std::optional<OperatorBody> WithoutTheConstant(const ConstantOperand& operand,
                                               const TensorDims& dims) {
  if (operand.values->values.size() == 1) return WithOneNumber(operand);
  if (IsForEachChannel(operand.dims, dims)) return WithOneForEachChannel(operand);
  return std::nullopt;
}

// What is computed from constants alone becomes a constant.
OperatorGraph EvaluateConstants(OperatorGraph graph) {
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    if (WeightsPointer values = Evaluated(walk, op);
        values == nullptr || !walk.LetBeConstant(op, std::move(values)))
      walk.Keep(std::move(op));
  });
}

// Arithmetic with a constant that has one number, or one for each channel, becomes an activation
// kLinear or kClip, or a ChannelScale.
OperatorGraph ScalesFromConstants(OperatorGraph graph) {
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    if (const std::optional<ConstantOperand> operand = ConstantOperandOf(walk, op)) {
      if (auto body = WithoutTheConstant(*operand, walk.dims(op.output))) {
        op.body = std::move(*body);
        walk.ReadInstead(op, {operand->computed});
      }
    }
    walk.Keep(std::move(op));
  });
}

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

// Scales go into the weights and bias of the convolution or linear layer before them, or into the
// scale before them.
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

// What moves or changes nothing goes or becomes a Reshape, reshapes of reshapes become one, and
// reductions over whole images become pools.
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

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A function of one tensor.
struct Applied {
  Activation activation;
  TensorIndex to = 0;
};

// The activation that computes this tensor.
std::optional<Applied> ActivationOf(GraphWalk& walk, TensorIndex tensor) {
  const GraphOperator* producer = walk.ProducerOf(tensor);
  const auto* activation = PlainBody<Activation>(producer);
  if (activation == nullptr) return std::nullopt;
  return Applied{*activation, producer->inputs[0]};
}

std::optional<Applied> ActivationOf(GraphWalk& walk, TensorIndex tensor, ActivationKind kind) {
  std::optional<Applied> found = ActivationOf(walk, tensor);
  return found.has_value() && found->activation.kind == kind ? found : std::nullopt;
}

bool Near(float a, float b) { return std::abs(a - b) < 1e-6F; }

bool IsHardSigmoidOfSwish(const Activation& activation) {
  return activation.kind == ActivationKind::kHardSigmoid && Near(activation.alpha, 1.0F / 6) &&
         Near(activation.beta, 0.5F);
}

// A clip, or a ReLU as one.
std::optional<Activation> AsClip(const Activation& activation) {
  if (activation.kind == ActivationKind::kRelu)
    return Activation{ActivationKind::kClip, 0, kInfinity};
  if (activation.kind == ActivationKind::kClip) return activation;
  return std::nullopt;
}

Activation Simplest(const Activation& clip) {
  return clip.alpha == 0 && clip.beta == kInfinity ? Activation{ActivationKind::kRelu} : clip;
}

// clip(a x + b, 0, h) / h.
std::optional<Applied> HardSigmoidOf(GraphWalk& walk, TensorIndex clipped, float factor) {
  const std::optional<Applied> clip = ActivationOf(walk, clipped, ActivationKind::kClip);
  if (!clip.has_value() || clip->activation.alpha != 0) return std::nullopt;
  if (!Near(factor * clip->activation.beta, 1)) return std::nullopt;
  const std::optional<Applied> line = ActivationOf(walk, clip->to, ActivationKind::kLinear);
  if (!line.has_value()) return std::nullopt;
  return Applied{{ActivationKind::kHardSigmoid, line->activation.alpha * factor,
                  line->activation.beta * factor},
                 line->to};
}

// x f(x), where `gate` is f(x).
std::optional<Applied> GatedByItself(TensorIndex x, const std::optional<Applied>& gate) {
  if (!gate.has_value() || gate->to != x) return std::nullopt;
  if (gate->activation.kind == ActivationKind::kSigmoid) return Applied{{ActivationKind::kSilu}, x};
  if (IsHardSigmoidOfSwish(gate->activation)) return Applied{{ActivationKind::kHardSwish}, x};
  return std::nullopt;
}

bool IsProduct(const GraphOperator* op) {
  const auto* binary = PlainBody<Binary>(op);
  return binary != nullptr && binary->kind == BinaryKind::kMultiply;
}

// x f(x).
std::optional<Applied> FromProduct(GraphWalk& walk, const GraphOperator& op) {
  for (std::size_t i : {0, 1}) {
    const std::optional<Applied> gate = ActivationOf(walk, op.inputs[1 - i]);
    if (auto found = GatedByItself(op.inputs[i], gate)) return found;
  }
  return std::nullopt;
}

// x clip(x + 3, 0, 6) / 6, divided last.
std::optional<Applied> FromScaledProduct(GraphWalk& walk, TensorIndex tensor, float factor) {
  const GraphOperator* product = walk.ProducerOf(tensor);
  if (!IsProduct(product)) return std::nullopt;
  for (std::size_t i : {0, 1}) {
    const std::optional<Applied> gate = HardSigmoidOf(walk, product->inputs[1 - i], factor);
    if (auto found = GatedByItself(product->inputs[i], gate)) return found;
  }
  return std::nullopt;
}

std::optional<Applied> FromLine(GraphWalk& walk, const Activation& line, TensorIndex of) {
  if (line.beta != 0) return std::nullopt;
  if (auto found = HardSigmoidOf(walk, of, line.alpha)) return found;
  return FromScaledProduct(walk, of, line.alpha);
}

std::optional<Applied> FromClip(GraphWalk& walk, Activation clip, TensorIndex of) {
  if (const std::optional<Applied> before = ActivationOf(walk, of)) {
    if (const std::optional<Activation> first = AsClip(before->activation)) {
      clip = {ActivationKind::kClip, std::clamp(first->alpha, clip.alpha, clip.beta),
              std::clamp(first->beta, clip.alpha, clip.beta)};
      of = before->to;
    }
  }
  return Applied{Simplest(clip), of};
}

std::optional<Applied> Recognise(GraphWalk& walk, const GraphOperator& op) {
  if (IsProduct(&op)) return FromProduct(walk, op);
  const auto* activation = PlainBody<Activation>(&op);
  if (activation == nullptr) return std::nullopt;
  if (activation->kind == ActivationKind::kLinear) return FromLine(walk, *activation, op.inputs[0]);
  const std::optional<Activation> clip = AsClip(*activation);
  if (!clip.has_value() || !(clip->alpha <= clip->beta)) return std::nullopt;
  return FromClip(walk, *clip, op.inputs[0]);
}

// SiLU, hard swish, hard sigmoid, ReLU and clips from the operators that exporters make of them.
OperatorGraph RecogniseActivations(OperatorGraph graph) {
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    if (const std::optional<Applied> found = Recognise(walk, op)) {
      op.body = found->activation;
      walk.ReadInstead(op, {found->to});
    }
    walk.Keep(std::move(op));
  });
}

// Zeros around images, and nothing cut off.
bool IsAroundImages(const Padding& padding) {
  const auto none_negative = [](const TensorDims& sizes) {
    return std::ranges::all_of(sizes, [](std::int64_t size) { return size >= 0; });
  };
  return padding.value == 0 && padding.before.size() == 3 && padding.before[0] == 0 &&
         padding.after[0] == 0 && none_negative(padding.before) && none_negative(padding.after);
}

ImageWindow Padded(ImageWindow window, const Padding& padding) {
  for (std::size_t i : {0, 1}) {
    window.pad_before[i] += padding.before[i + 1];
    window.pad_after[i] += padding.after[i + 1];
  }
  return window;
}

bool IsPadded(const ImageWindow& window) {
  const std::array<std::int64_t, 2> none{0, 0};
  return window.pad_before != none || window.pad_after != none;
}

// How far the last windows reach behind an image, given the dimensions of both.
std::array<std::int64_t, 2> Reach(const ImageWindow& window, const TensorDims& image,
                                  const TensorDims& result) {
  std::array<std::int64_t, 2> reach{};
  for (std::size_t i : {0, 1}) {
    const std::int64_t end =
        (result[i + 1] - 1) * window.stride[i] + (window.kernel[i] - 1) * window.dilation[i] + 1;
    reach[i] = std::max<std::int64_t>(0, end - window.pad_before[i] - image[i + 1]);
  }
  return reach;
}

// The operator on what the padding pads; none if that is something else. A maximum is: the padding
// of its own never wins.
std::optional<OperatorBody> WithPadding(const GraphWalk& walk, const GraphOperator& op,
                                        const GraphOperator& padding_op, const Padding& padding) {
  if (!IsAroundImages(padding)) return std::nullopt;
  if (const auto* convolution = std::get_if<Convolution>(&op.body)) {
    if (convolution->transposed) return std::nullopt;
    Convolution padded = *convolution;
    padded.window = Padded(convolution->window, padding);
    return padded;
  }
  const auto* pool = std::get_if<Pool>(&op.body);
  if (pool == nullptr || pool->kind == PoolKind::kMax) return std::nullopt;
  if (pool->kind == PoolKind::kAverage && IsPadded(pool->window)) return std::nullopt;
  Pool padded{.kind = PoolKind::kAveragePadding, .window = Padded(pool->window, padding)};
  padded.window.pad_after =
      Reach(padded.window, walk.dims(padding_op.inputs[0]), walk.dims(op.output));
  return padded;
}

// Padding goes into the convolution or average pool after it.
OperatorGraph FoldPadding(OperatorGraph graph) {
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    const GraphOperator* before = walk.ProducerOf(op.inputs[0]);
    if (const auto* padding = PlainBody<Padding>(before)) {
      if (auto body = WithPadding(walk, op, *before, *padding)) {
        op.body = std::move(*body);
        walk.ReadInstead(op, before->inputs);
      }
    }
    walk.Keep(std::move(op));
  });
}

bool CanCarry(const GraphOperator& op) {
  return std::holds_alternative<Convolution>(op.body) || std::holds_alternative<Linear>(op.body) ||
         std::holds_alternative<Binary>(op.body) || std::holds_alternative<ChannelScale>(op.body);
}

class Absorber {
 public:
  Absorber(GraphWalk& walk, std::span<const std::size_t> segments, const GraphOperator& op)
      : walk_(walk), segments_(segments), op_(op) {}

  bool AbsorbActivation() {
    const auto* activation = PlainBody<Activation>(&op_);
    if (activation == nullptr) return false;
    GraphOperator* carrier = CarrierOf(op_.inputs[0]);
    if (carrier == nullptr) return false;
    Absorb(*carrier, *activation);
    return true;
  }

  // Into the later of the two that compute the operands: the other's result is there by then.
  bool AbsorbAddition() {
    const auto* binary = PlainBody<Binary>(&op_);
    if (binary == nullptr || binary->kind != BinaryKind::kAdd) return false;
    for (std::size_t i : {0, 1}) {
      const TensorIndex operand = op_.inputs[i];
      const TensorIndex other = op_.inputs[1 - i];
      if (walk_.dims(operand) != walk_.dims(other) || walk_.tensor(other).constant != nullptr)
        continue;
      GraphOperator* carrier = CarrierOf(operand);
      if (carrier == nullptr || !walk_.Precedes(other, operand)) continue;
      Absorb(*carrier, AddedTensor{other});
      return true;
    }
    return false;
  }

 private:
  std::ptrdiff_t SegmentOf(const GraphOperator& op) const {
    return std::ranges::upper_bound(segments_, std::size_t{op.layer}) - segments_.begin();
  }

  // The operator that computes `tensor`, if it can do so much more with it that this is all that
  // the operator being visited needs.
  GraphOperator* CarrierOf(TensorIndex tensor) {
    GraphOperator* producer = walk_.ProducerForThisOnly(tensor);
    const bool can =
        producer != nullptr && CanCarry(*producer) && SegmentOf(*producer) == SegmentOf(op_);
    return can ? producer : nullptr;
  }

  void Absorb(GraphOperator& carrier, const PostOperation& post) {
    carrier.then.push_back(post);
    walk_.LetCompute(carrier, op_.output);
  }

  GraphWalk& walk_;
  std::span<const std::size_t> segments_;
  const GraphOperator& op_;
};

// Activations and additions go into what computes their operand, in the same segment.
OperatorGraph AbsorbPostOperations(OperatorGraph graph, std::span<const std::size_t> segments) {
  return GraphWalk::Over(std::move(graph), [segments](GraphWalk& walk, GraphOperator op) {
    Absorber absorber(walk, segments, op);
    if (absorber.AbsorbActivation() || absorber.AbsorbAddition()) return;
    walk.Keep(std::move(op));
  });
}

}  // namespace

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
