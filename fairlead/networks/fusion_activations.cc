#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "fairlead/networks/fusion_passes.h"
#include "fairlead/networks/graph_walk.h"

namespace fairlead {
namespace {

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

}  // namespace

OperatorGraph RecogniseActivations(OperatorGraph graph) {
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    if (const std::optional<Applied> found = Recognise(walk, op)) {
      op.body = found->activation;
      walk.ReadInstead(op, {found->to});
    }
    walk.Keep(std::move(op));
  });
}

}  // namespace fairlead
