#include "fairlead/networks/constant_operand.h"

#include <cmath>

namespace fairlead {
namespace {

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

}  // namespace

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

}  // namespace fairlead
