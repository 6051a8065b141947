#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "fairlead/networks/onnx/element_types.h"
#include "fairlead/networks/onnx/node_rules.h"
#include "fairlead/networks/onnx/shape_rules.h"
#include "fairlead/networks/onnx/stored_tensors.h"

namespace fairlead {
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

}  // namespace fairlead
