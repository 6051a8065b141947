#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "fairlead/costs/constant_operand.h"
#include "fairlead/costs/fusion_passes.h"
#include "fairlead/costs/graph_walk.h"

namespace fairlead {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::optional<OperatorBody> WithOneNumber(const ConstantOperand& operand) {
  const float constant = operand.values->values[0];
  if (operand.kind == BinaryKind::kMaximum)
    return Activation{ActivationKind::kClip, constant, kInfinity};
  if (operand.kind == BinaryKind::kMinimum)
    return Activation{ActivationKind::kClip, -kInfinity, constant};
  const std::optional<std::vector<Line>> lines = operand.Lines();
  if (!lines.has_value()) return std::nullopt;
  return Activation{ActivationKind::kLinear, lines->front().alpha, lines->front().beta};
}

std::optional<OperatorBody> WithOneForEachChannel(const ConstantOperand& operand) {
  const std::optional<std::vector<Line>> lines = operand.Lines();
  if (!lines.has_value()) return std::nullopt;
  const TensorDims channels{static_cast<std::int64_t>(lines->size())};
  Weights scale{.dims = channels, .values = {}};
  Weights shift{.dims = channels, .values = {}};
  for (const Line& line : *lines) {
    scale.values.push_back(line.alpha);
    shift.values.push_back(line.beta);
  }
  return ChannelScale{std::make_shared<const Weights>(std::move(scale)),
                      std::make_shared<const Weights>(std::move(shift))};
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

}  // namespace

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

}  // namespace fairlead
