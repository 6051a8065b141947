#include "fairlead/networks/onnx/node_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "fairlead/networks/onnx/shape_rules.h"
#include "fairlead/networks/onnx/stored_tensors.h"
#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {
namespace {

Status CheckMatrix(NodeImport& node) {
  if (node.IsConstant(1) && !node.IsConstant(0)) return {};
  return Fail("multiplies '{}' and '{}'; no executor carries that out unless the second is weights",
              node.InputName(0), node.InputName(1));
}

// What Gemm adds: a number for each output, or one for all.
Result<WeightsPointer> GemmBias(NodeImport& node, std::int64_t outputs, float factor) {
  if (!node.IsGiven(2) || factor == 0) return WeightsPointer();
  if (!node.IsConstant(2))
    return Fail("adds '{}', which is computed; no executor carries that out", node.InputName(2));
  ASSIGN_OR_RETURN(const Dims dims, node.InputDims(2));
  const auto elements = CountElements(dims);
  if (dims.size() > 2 || (elements != 1 && (elements != outputs || dims.back() != outputs)))
    return Fail("adds {}; expected a number for each of {} outputs", fmt::join(dims, "x"), outputs);
  ASSIGN_OR_RETURN(const WeightsPointer given, node.Constant(2));
  if (factor == 1 && dims == Dims{outputs}) return given;
  std::vector<float> values = given->values;
  if (!values.empty()) values.resize(static_cast<std::size_t>(outputs), values.front());
  for (float& value : values) value *= factor;
  return node.weights().Make({outputs}, std::move(values));
}

Status ImportGemm(NodeImport& node) {
  RETURN_IF_ERROR(CheckMatrix(node));
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  if (IntegerAttribute(node.proto(), "transA", 0) != 0)
    return Fail("transposes its input (transA), and so its batch; no executor carries that out");
  const bool turned = IntegerAttribute(node.proto(), "transB", 0) == 0;
  Linear linear;
  ASSIGN_OR_RETURN(linear.weights, node.weights().Matrix(node.InputName(1), turned,
                                                         node.FloatAttribute("alpha", 1)));
  ASSIGN_OR_RETURN(linear.bias,
                   GemmBias(node, linear.weights->dims[0], node.FloatAttribute("beta", 1)));
  return node.Emit(std::move(linear), {data});
}

Status ImportMatMul(NodeImport& node) {
  RETURN_IF_ERROR(CheckMatrix(node));
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  ASSIGN_OR_RETURN(const Dims dims, node.InputDims(1));
  if (dims.size() > in.size() ||
      std::ranges::any_of(dims.begin(), dims.end() - 2, [](std::int64_t dim) { return dim != 1; }))
    return Fail("multiplies by several matrices, {}; no executor carries that out",
                fmt::join(dims, "x"));
  Linear linear;
  ASSIGN_OR_RETURN(linear.weights, node.weights().Matrix(node.InputName(1), true, 1));
  return node.Emit(std::move(linear), {data});
}

}  // namespace

NodeRule FindLinearRule(std::string_view type) {
  if (type == "Gemm") return &ImportGemm;
  return type == "MatMul" ? &ImportMatMul : nullptr;
}

namespace {

struct ActivationRule {
  ActivationKind kind = ActivationKind::kRelu;
  float alpha = 0;  // where the node has no such attribute
  float beta = 0;
};

const std::unordered_map<std::string_view, ActivationRule>& Activations() {
  using enum ActivationKind;
  static const std::unordered_map<std::string_view, ActivationRule> rules = {
      {"Relu", {kRelu}},           {"LeakyRelu", {kLeakyRelu, 0.01F}},
      {"Sigmoid", {kSigmoid}},     {"HardSigmoid", {kHardSigmoid, 0.2F, 0.5F}},
      {"HardSwish", {kHardSwish}}, {"Tanh", {kTanh}},
      {"Elu", {kElu, 1}},          {"Exp", {kExp}},
      {"Sqrt", {kSqrt}},           {"Abs", {kAbs}},
  };
  return rules;
}

Status ImportActivation(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  const ActivationRule& rule = Activations().at(node.proto().op_type());
  return node.Emit(Activation{.kind = rule.kind,
                              .alpha = node.FloatAttribute("alpha", rule.alpha),
                              .beta = node.FloatAttribute("beta", rule.beta)},
                   {data});
}

Status ImportNegation(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  return node.Emit(Activation{.kind = ActivationKind::kLinear, .alpha = -1}, {data});
}

Status ImportGelu(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  if (const auto approximate = TextAttribute(node.proto(), "approximate", "none");
      approximate != "none")
    return Fail("is approximated by '{}'; no executor carries that out", approximate);
  return node.Emit(Activation{.kind = ActivationKind::kGelu}, {data});
}

Status ImportClip(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  using Limits = std::numeric_limits<float>;
  ASSIGN_OR_RETURN(const float low, node.Number("min", 1, Limits::lowest()));
  ASSIGN_OR_RETURN(const float high, node.Number("max", 2, Limits::max()));
  if (!(low <= high)) return Fail("clips to [{}, {}]", low, high);
  return node.Emit(Activation{.kind = ActivationKind::kClip, .alpha = low, .beta = high}, {data});
}

Status ImportPRelu(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const WeightsPointer slope, node.Constant(1));
  if (ElementsOf(slope->dims) != 1)
    return Fail("has slopes of {}; no executor carries out more than one",
                fmt::join(slope->dims, "x"));
  constexpr float kUntrained = 0.25F;
  const float alpha = slope->values.empty() ? kUntrained : slope->values.front();
  return node.Emit(Activation{.kind = ActivationKind::kLeakyRelu, .alpha = alpha}, {data});
}

const std::unordered_map<std::string_view, BinaryKind>& Binaries() {
  using enum BinaryKind;
  static const std::unordered_map<std::string_view, BinaryKind> kinds = {
      {"Add", kAdd},      {"Div", kDivide},   {"Max", kMaximum}, {"Min", kMinimum},
      {"Mul", kMultiply}, {"Sub", kSubtract}, {"Sum", kAdd},
  };
  return kinds;
}

// Sum, Max and Min take any number of inputs: one operator for each but the first. Where there are
// more than two, what is computed comes before constants, so that no operator has constants only.
Status ImportBinary(NodeImport& node) {
  if (node.op().opset < 7 && FindAttribute(node.proto(), "axis") != nullptr)
    return Fail("spreads its second input from an axis on, as before opset 7; export it anew");
  const BinaryKind kind = Binaries().at(node.proto().op_type());
  const std::size_t rank = node.OutputDims().size();
  std::vector<std::size_t> order(node.op().inputs.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > 2)
    std::ranges::stable_partition(order, [&](std::size_t i) { return !node.IsConstant(i); });
  ASSIGN_OR_RETURN(TensorIndex result, node.Operand(order.front(), rank));
  if (order.size() == 1) {
    node.Vanish(result);
    return {};
  }
  ASSIGN_OR_RETURN(Dims dims, node.InputDims(order.front()));
  for (std::size_t i = 1; i + 1 < order.size(); ++i) {
    ASSIGN_OR_RETURN(const TensorIndex operand, node.Operand(order[i], rank));
    ASSIGN_OR_RETURN(const Dims other, node.InputDims(order[i]));
    ASSIGN_OR_RETURN(dims, BroadcastDims(dims, other));
    ASSIGN_OR_RETURN(result, node.EmitInner(Binary{kind}, {result, operand}, dims));
  }
  ASSIGN_OR_RETURN(const TensorIndex last, node.Operand(order.back(), rank));
  return node.Emit(Binary{kind}, {result, last});
}

Status ImportBatchNorm(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  if (in.size() < 2) return Fail("has an input without channels");
  if (IntegerAttribute(node.proto(), "training_mode", 0) != 0)
    return Fail("norms by what it sees (training_mode), and so mixes inputs; export for inference");
  if (IntegerAttribute(node.proto(), "spatial", 1) == 0)
    return Fail("norms each position by itself (spatial); no executor carries that out");
  std::array<WeightsPointer, 4> weights;  // scale, shift, mean, variance
  bool known = true;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    ASSIGN_OR_RETURN(weights[i], node.Constant(i + 1));
    if (weights[i]->dims != TensorDims{in[1]})
      return Fail("has weights of {} for {} channels", fmt::join(weights[i]->dims, "x"), in[1]);
    known = known && !weights[i]->values.empty();
  }
  if (!known) return node.Emit(ChannelScale{weights[0], weights[1]}, {data});
  const auto epsilon = static_cast<double>(node.FloatAttribute("epsilon", 1e-5F));
  std::vector<float> scale;
  std::vector<float> shift;
  for (std::size_t i = 0; i < weights[0]->values.size(); ++i) {
    const double variance = static_cast<double>(weights[3]->values[i]) + epsilon;
    if (!(variance > 0)) return Fail("has a variance of {} in channel {}", variance, i);
    const double factor = static_cast<double>(weights[0]->values[i]) / std::sqrt(variance);
    scale.push_back(static_cast<float>(factor));
    shift.push_back(static_cast<float>(static_cast<double>(weights[1]->values[i]) -
                                       static_cast<double>(weights[2]->values[i]) * factor));
  }
  ChannelScale body;
  ASSIGN_OR_RETURN(body.scale, node.weights().Make({in[1]}, std::move(scale)));
  ASSIGN_OR_RETURN(body.shift, node.weights().Make({in[1]}, std::move(shift)));
  return node.Emit(std::move(body), {data});
}

Status ImportNothing(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  node.Vanish(data);
  return {};
}

Status ImportCast(NodeImport& node) {
  const auto to = static_cast<int>(IntegerAttribute(node.proto(), "to", 0));
  if (!ElementOf(to).has_value()) return Fail("converts to {}; expected numbers", TypeName(to));
  if (IsFloatType(to)) return ImportNothing(node);  // all is computed in 32-bit floats
  // What clients get is rounded when it is handed out, and nothing else is.
  if (node.IsRead(0))
    return Fail("converts to {}, and others read that; no executor computes with whole numbers",
                TypeName(to));
  const OnnxTensorInfo* from = node.op().Input(0);
  if (from == nullptr || !IsFloatType(from->type))
    return Fail("converts to {} what are no floating-point numbers", TypeName(to));
  return ImportNothing(node);
}

}  // namespace

NodeRule FindPointwiseRule(std::string_view type) {
  static const std::unordered_map<std::string_view, NodeRule> rules = {
      {"BatchNormalization", &ImportBatchNorm},
      {"Cast", &ImportCast},
      {"Clip", &ImportClip},
      {"Dropout", &ImportNothing},
      {"Gelu", &ImportGelu},
      {"Identity", &ImportNothing},
      {"Neg", &ImportNegation},
      {"PRelu", &ImportPRelu},
  };
  if (Activations().contains(type)) return &ImportActivation;
  if (Binaries().contains(type)) return &ImportBinary;
  const auto rule = rules.find(type);
  return rule == rules.end() ? nullptr : rule->second;
}

namespace {

Status ImportReduction(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  ASSIGN_OR_RETURN(const auto axes, ReducedAxes(node.op(), in.size()));
  if (!axes.has_value()) return Fail("has axes that are not known before it runs");
  if (axes->empty()) {
    node.Vanish(data);
    return {};
  }
  const std::string& type = node.proto().op_type();
  Reduction reduction{.kind = type == "ReduceMean"  ? ReductionKind::kMean
                              : type == "ReduceSum" ? ReductionKind::kSum
                                                    : ReductionKind::kMaximum};
  for (std::int64_t axis : *axes) {
    ASSIGN_OR_RETURN(const std::size_t index, node.SampleAxis(static_cast<std::size_t>(axis)));
    reduction.axes.push_back(index);
  }
  return node.Emit(std::move(reduction), {data});
}

// Before opset 13, everything from the axis on counts as one dimension. That is an axis where no
// other of these dimensions is larger than 1.
Result<std::size_t> SoftmaxAxis(const NodeImport& node, const Dims& in) {
  const bool flattens = node.op().opset < 13;
  ASSIGN_OR_RETURN(std::size_t axis,
                   AxisIndex(IntegerAttribute(node.proto(), "axis", flattens ? 1 : -1), in.size()));
  RETURN_IF_ERROR(node.SampleAxis(axis));
  if (flattens) {
    const auto larger = [](std::int64_t dim) { return dim > 1; };
    const auto from = in.begin() + static_cast<std::ptrdiff_t>(axis);
    if (std::count_if(from, in.end(), larger) > 1)
      return Fail("goes over several dimensions at once, as before opset 13; export it anew");
    const auto found = std::find_if(from, in.end(), larger);
    if (found != in.end()) axis = static_cast<std::size_t>(found - in.begin());
  }
  return node.SampleAxis(axis);
}

Status ImportSoftmax(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  ASSIGN_OR_RETURN(const std::size_t axis, SoftmaxAxis(node, in));
  return node.Emit(Softmax{.axis = axis, .logarithm = node.proto().op_type() == "LogSoftmax"},
                   {data});
}

Status ImportLocalResponseNorm(NodeImport& node) {
  RETURN_IF_ERROR(node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  const LocalResponseNorm norm{.size = IntegerAttribute(node.proto(), "size", 0),
                               .alpha = node.FloatAttribute("alpha", 1e-4F),
                               .beta = node.FloatAttribute("beta", 0.75F),
                               .bias = node.FloatAttribute("bias", 1)};
  if (norm.size < 1 || norm.size % 2 == 0)
    return Fail("goes over {} channels; expected an odd number of them", norm.size);
  return node.Emit(norm, {data});
}

}  // namespace

NodeRule FindReducingRule(std::string_view type) {
  static const std::unordered_map<std::string_view, NodeRule> rules = {
      {"LRN", &ImportLocalResponseNorm}, {"LogSoftmax", &ImportSoftmax},
      {"ReduceMax", &ImportReduction},   {"ReduceMean", &ImportReduction},
      {"ReduceSum", &ImportReduction},   {"Softmax", &ImportSoftmax},
  };
  const auto rule = rules.find(type);
  return rule == rules.end() ? nullptr : rule->second;
}

namespace {

Status ImportConcatenation(NodeImport& node) {
  const std::size_t rank = node.OutputDims().size();
  ASSIGN_OR_RETURN(const std::size_t file_axis,
                   AxisIndex(IntegerAttribute(node.proto(), "axis", 1), rank));
  ASSIGN_OR_RETURN(const std::size_t axis, node.SampleAxis(file_axis));
  std::vector<TensorIndex> inputs;
  for (std::size_t i = 0; i < node.op().inputs.size(); ++i) {
    ASSIGN_OR_RETURN(inputs.emplace_back(), node.Operand(i, rank));
  }
  return node.Emit(Concatenation{.axis = axis}, std::move(inputs));
}

// One slice for each part that something reads.
Status ImportSplit(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  const std::size_t rank = node.OutputDims().size();
  ASSIGN_OR_RETURN(const std::size_t file_axis,
                   AxisIndex(IntegerAttribute(node.proto(), "axis", 0), rank));
  ASSIGN_OR_RETURN(const std::size_t axis, node.SampleAxis(file_axis));
  std::int64_t start = 0;
  for (int i = 0; i < node.proto().output_size(); ++i) {
    const auto output = static_cast<std::size_t>(i);
    Slice slice{.start = TensorDims(rank - 1, 0), .step = TensorDims(rank - 1, 1)};
    slice.start[axis] = start;
    start += node.OutputDims(output)[file_axis];
    if (!node.IsNeeded(i)) continue;
    RETURN_IF_ERROR(node.Emit(std::move(slice), {data}, output));
  }
  return {};
}

Status ImportSlice(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  ASSIGN_OR_RETURN(const auto ranges, SliceRanges(node.op()));
  if (!ranges.has_value() || ranges->empty()) return Fail("has ranges that are not known");
  const SliceRange& batch = ranges->front();
  if (batch.start != 0 || batch.step != 1 || batch.size != in.front())
    return Fail("takes a part of the batch; no executor carries that out");
  Slice slice;
  for (auto range = ranges->begin() + 1; range != ranges->end(); ++range) {
    slice.start.push_back(range->start);
    slice.step.push_back(range->size > 1 ? range->step : 1);
  }
  return node.Emit(std::move(slice), {data});
}

Status ImportTransposition(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  const Dims order = IntegersAttribute(node.proto(), "perm");
  if (order.empty() || order.front() != 0)
    return Fail("moves the batch to another place; no executor carries that out");
  Transposition transposition;
  for (auto axis = order.begin() + 1; axis != order.end(); ++axis)
    transposition.order.push_back(static_cast<std::size_t>(*axis) - 1);
  return node.Emit(std::move(transposition), {data});
}

// As the numbers stay in order, samples stay apart where the batch stays in front.
Status ImportReshape(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  return node.Emit(Reshape{}, {data});
}

Status ImportFlatten(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.InputDims(0));
  const std::int64_t axis = IntegerAttribute(node.proto(), "axis", 1);
  if (axis == 0 || axis == -static_cast<std::int64_t>(in.size()))
    return Fail("joins the batch with the rest; no executor carries that out");
  return ImportReshape(node);
}

Status ImportSqueeze(NodeImport& node) {
  const auto axes = IntegersOf(node.op(), "axes", 1);
  const std::size_t rank = std::max(node.OutputDims().size(), node.op().InputDims(0)->size());
  if (!axes.has_value()) return Fail("has axes that are not known before it runs");
  for (std::int64_t each : *axes) {
    ASSIGN_OR_RETURN(const std::size_t axis, AxisIndex(each, rank));
    RETURN_IF_ERROR(node.SampleAxis(axis));
  }
  return ImportReshape(node);
}

Status ImportPadding(NodeImport& node) {
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  if (const auto mode = TextAttribute(node.proto(), "mode", "constant"); mode != "constant")
    return Fail("pads by mode '{}'; no executor carries out but 'constant'", mode);
  ASSIGN_OR_RETURN(const auto pads, PadAmounts(node.op()));
  if (!pads.has_value() || pads->before.empty()) return Fail("has pads that are not known");
  if (pads->before.front() != 0 || pads->after.front() != 0)
    return Fail("pads the batch; no executor carries that out");
  if (std::min(std::ranges::min(pads->before), std::ranges::min(pads->after)) < 0)
    return Fail("cuts off (negative pads); no executor carries that out: use a Slice");
  Padding padding{.before = TensorDims(pads->before.begin() + 1, pads->before.end()),
                  .after = TensorDims(pads->after.begin() + 1, pads->after.end())};
  ASSIGN_OR_RETURN(padding.value, node.Number("value", 2, 0));
  return node.Emit(std::move(padding), {data});
}

// Scales must be those of the sizes: then positions do not depend on which of them is given.
Status CheckScales(NodeImport& node, const Dims& in) {
  const Dims& out = node.OutputDims();
  if (in[0] != out[0] || in[1] != out[1])
    return Fail("resizes {} to {}; expected other heights and widths only", fmt::join(in, "x"),
                fmt::join(out, "x"));
  const auto scales = ResizeScales(node.op());
  if (!scales.has_value()) return Fail("has scales that are not known before it runs");
  if (scales->empty()) return {};
  const Dims axes = IntegersAttribute(node.proto(), "axes");
  for (std::size_t i = 0; i < scales->size(); ++i) {
    std::size_t axis = i;
    if (!axes.empty()) {
      ASSIGN_OR_RETURN(axis, AxisIndex(axes.at(i), in.size()));
    }
    const double exact = static_cast<double>(in[axis]) * (*scales)[i];
    if (std::abs(exact - static_cast<double>(out[axis])) > 1e-5 * exact)
      return Fail("scales {} by {}, which is no whole number; no executor carries that out",
                  in[axis], (*scales)[i]);
  }
  return {};
}

Result<ResizeGrid> GridOf(NodeImport& node, const Dims& in) {
  const bool early = node.proto().op_type() == "Upsample" || node.op().opset < 11;
  const std::string mode = TextAttribute(node.proto(), "coordinate_transformation_mode",
                                         early ? "asymmetric" : "half_pixel");
  if (mode == "align_corners") return ResizeGrid::kAlignCorners;
  if (mode == "asymmetric") return ResizeGrid::kAsymmetric;
  if (mode == "half_pixel" || mode == "half_pixel_symmetric") return ResizeGrid::kHalfPixel;
  if (mode != "pytorch_half_pixel")
    return Fail("places pixels by '{}'; no executor carries that out", mode);
  for (std::size_t i = 2; i < 4; ++i) {
    if (node.OutputDims()[i] == 1 && in[i] > 1)
      return Fail("resizes to a single pixel by '{}'; no executor carries that out", mode);
  }
  return ResizeGrid::kHalfPixel;
}

Result<ResizeRounding> RoundingOf(NodeImport& node) {
  const bool early = node.proto().op_type() == "Upsample" || node.op().opset < 11;
  const std::string mode =
      TextAttribute(node.proto(), "nearest_mode", early ? "floor" : "round_prefer_floor");
  if (mode == "floor") return ResizeRounding::kFloor;
  if (mode == "ceil") return ResizeRounding::kCeil;
  if (mode == "round_prefer_floor") return ResizeRounding::kHalfDown;
  if (mode == "round_prefer_ceil") return ResizeRounding::kHalfUp;
  return Fail("rounds by '{}'; expected one of ONNX's modes", mode);
}

Status ImportResize(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  RETURN_IF_ERROR(CheckScales(node, in));
  const std::string mode = TextAttribute(node.proto(), "mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "bilinear")
    return Fail("resizes by '{}'; no executor carries that out", mode);
  if (IntegerAttribute(node.proto(), "antialias", 0) != 0)
    return Fail("smoothes as it resizes (antialias); no executor carries that out");
  if (const auto policy = TextAttribute(node.proto(), "keep_aspect_ratio_policy", "stretch");
      policy != "stretch")
    return Fail("keeps the aspect ratio ('{}'); no executor carries that out", policy);
  Resize resize{.kind = mode == "nearest" ? ResizeKind::kNearest : ResizeKind::kLinear};
  ASSIGN_OR_RETURN(resize.grid, GridOf(node, in));
  if (resize.kind == ResizeKind::kNearest) {
    ASSIGN_OR_RETURN(resize.rounding, RoundingOf(node));
  }
  return node.Emit(resize, {data});
}

}  // namespace

NodeRule FindMovingNodeRule(std::string_view type) {
  static const std::unordered_map<std::string_view, NodeRule> rules = {
      {"Concat", &ImportConcatenation},
      {"Flatten", &ImportFlatten},
      {"Pad", &ImportPadding},
      {"Reshape", &ImportReshape},
      {"Resize", &ImportResize},
      {"Slice", &ImportSlice},
      {"Split", &ImportSplit},
      {"Squeeze", &ImportSqueeze},
      {"Transpose", &ImportTransposition},
      {"Unsqueeze", &ImportSqueeze},
      {"Upsample", &ImportResize},
  };
  const auto rule = rules.find(type);
  return rule == rules.end() ? nullptr : rule->second;
}

namespace {

std::array<std::int64_t, 2> Pair(const Dims& dims) { return {dims[0], dims[1]}; }

ImageWindow ToImageWindow(const Window& window) {
  return {.kernel = Pair(window.kernel),
          .stride = Pair(window.strides),
          .dilation = Pair(window.dilations),
          .pad_before = Pair(window.pads_before),
          .pad_after = Pair(window.pads_after)};
}

std::int64_t Extent(const Window& window, std::size_t i) {
  return (window.kernel[i] - 1) * window.dilations[i] + 1;
}

Result<WeightsPointer> BiasOf(NodeImport& node, std::int64_t outputs) {
  if (!node.IsGiven(2)) return WeightsPointer();
  ASSIGN_OR_RETURN(WeightsPointer bias, node.Constant(2));
  if (bias->dims != TensorDims{outputs})
    return Fail("has a bias of {}; expected {}", fmt::join(bias->dims, "x"), outputs);
  return bias;
}

Status ImportConvolution(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims dims, node.InputDims(1));
  ASSIGN_OR_RETURN(const Window given, ReadWindow(node.proto(), 2, Spatial(dims)));
  ASSIGN_OR_RETURN(const Window window, WithAutoPads(node.proto(), given, Spatial(in)));
  if (FindAttribute(node.proto(), "ceil_mode") != nullptr)
    return Fail("has an attribute 'ceil_mode', which a convolution does not have");
  Convolution convolution{.window = ToImageWindow(window),
                          .groups = IntegerAttribute(node.proto(), "group", 1)};
  ASSIGN_OR_RETURN(convolution.weights, node.Constant(1));
  ASSIGN_OR_RETURN(convolution.bias, BiasOf(node, dims[0]));
  return node.Emit(std::move(convolution), {data});
}

// ConvTranspose says how large its result is in three ways. The pads follow from it: what the
// windows cover beyond the result.
Result<Window> TransposedWindow(NodeImport& node, const Dims& in, const Dims& weights) {
  ASSIGN_OR_RETURN(Window window, ReadWindow(node.proto(), 2, Spatial(weights)));
  const std::string auto_pad = TextAttribute(node.proto(), "auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID")
    return Fail("has 'auto_pad' {}; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", auto_pad);
  Dims more = IntegersAttribute(node.proto(), "output_padding");
  if (more.empty()) more = {0, 0};
  const bool asked = IntegersAttribute(node.proto(), "output_shape").size() == 2;
  for (std::size_t i = 0; i < 2; ++i) {
    if (more.size() != 2 || more[i] < 0 ||
        more[i] >= std::max(window.strides[i], window.dilations[i]))
      return Fail("has 'output_padding' {}; expected 2 entries that are less than the strides",
                  fmt::join(more, ","));
    const std::int64_t beyond =
        (in[i + 2] - 1) * window.strides[i] + Extent(window, i) - node.OutputDims()[i + 2];
    if (asked || same) {
      const std::int64_t all = std::max<std::int64_t>(beyond + more[i], 0);
      window.pads_before[i] = auto_pad == "SAME_UPPER" ? all / 2 : all - all / 2;
    }
    window.pads_after[i] = beyond - window.pads_before[i];
  }
  return window;
}

Status ImportTransposedConvolution(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Dims dims, node.InputDims(1));
  ASSIGN_OR_RETURN(const Window window, TransposedWindow(node, in, dims));
  const std::int64_t groups = IntegerAttribute(node.proto(), "group", 1);
  Convolution convolution{.window = ToImageWindow(window), .groups = groups, .transposed = true};
  ASSIGN_OR_RETURN(convolution.weights, node.Constant(1));
  ASSIGN_OR_RETURN(convolution.bias, BiasOf(node, dims[1] * groups));
  return node.Emit(std::move(convolution), {data});
}

// Of a pool over a padded image: whether each window has something of the image in it.
bool TouchesImage(const Window& window, const Dims& sizes, const Dims& out) {
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t last = (out[i] - 1) * window.strides[i] - window.pads_before[i];
    const bool padded = window.pads_before[i] > 0 || last + Extent(window, i) > sizes[i];
    if (padded && (window.pads_before[i] >= Extent(window, i) || last >= sizes[i] ||
                   window.dilations[i] > sizes[i]))
      return false;
  }
  return true;
}

Result<PoolKind> KindOf(NodeImport& node, const Window& window, const Dims& sizes,
                        const Dims& out) {
  const bool average = node.proto().op_type() == "AveragePool";
  if (average && IntegerAttribute(node.proto(), "count_include_pad", 0) != 0) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t reach =
          (out[i] - 1) * window.strides[i] + Extent(window, i) - window.pads_before[i] - sizes[i];
      if (reach > window.pads_after[i])
        return Fail(
            "counts padding (count_include_pad), but its last window reaches beyond that "
            "(ceil_mode); no executor carries that out");
    }
    return PoolKind::kAveragePadding;
  }
  if (!TouchesImage(window, sizes, out)) return Fail("has windows with nothing but padding");
  return average ? PoolKind::kAverage : PoolKind::kMax;
}

Status ImportPool(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  ASSIGN_OR_RETURN(const Window given, ReadWindow(node.proto(), 2, {}));
  ASSIGN_OR_RETURN(Window window, WithAutoPads(node.proto(), given, Spatial(in)));
  const Dims sizes = Spatial(in);
  const Dims out = Spatial(node.OutputDims());
  ASSIGN_OR_RETURN(const PoolKind kind, KindOf(node, window, sizes, out));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t reach = (out[i] - 1) * window.strides[i] + Extent(window, i);
    window.pads_after[i] = std::max<std::int64_t>(reach - window.pads_before[i] - sizes[i], 0);
  }
  return node.Emit(Pool{.kind = kind, .window = ToImageWindow(window)}, {data});
}

Status ImportGlobalPool(NodeImport& node) {
  ASSIGN_OR_RETURN(const Dims in, node.ImageDims());
  ASSIGN_OR_RETURN(const TensorIndex data, node.Data());
  const bool average = node.proto().op_type() == "GlobalAveragePool";
  return node.Emit(Pool{.kind = average ? PoolKind::kAverage : PoolKind::kMax,
                        .window = {.kernel = {in[2], in[3]}}},
                   {data});
}

}  // namespace

NodeRule FindWindowRule(std::string_view type) {
  static const std::unordered_map<std::string_view, NodeRule> rules = {
      {"Conv", &ImportConvolution},
      {"ConvTranspose", &ImportTransposedConvolution},
      {"AveragePool", &ImportPool},
      {"MaxPool", &ImportPool},
      {"GlobalAveragePool", &ImportGlobalPool},
      {"GlobalMaxPool", &ImportGlobalPool},
  };
  const auto rule = rules.find(type);
  return rule == rules.end() ? nullptr : rule->second;
}

}  // namespace fairlead
