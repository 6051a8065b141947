#include "fairlead/networks/constant_operand.h"

#include <cmath>

namespace fairlead {
namespace {

std::optional<Line> LineOf(BinaryKind kind, bool constant_first, float constant) {
  switch (kind) {
    case BinaryKind::kAdd: return Line{1, constant};
    case BinaryKind::kSubtract: return constant_first ? Line{-1, constant} : Line{1, -constant};
    case BinaryKind::kMultiply: return Line{constant, 0};
    case BinaryKind::kDivide:
      if (constant_first || !std::isfinite(1 / constant)) return std::nullopt;
      return Line{1 / constant, 0};
    case BinaryKind::kMaximum:
    case BinaryKind::kMinimum: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Lines> ConstantOperand::AsLines() const {
  Lines lines;
  lines.reserve(values->values.size());
  for (float value : values->values) {
    const std::optional<Line> line = LineOf(kind, first, value);
    if (!line.has_value()) return std::nullopt;
    lines.push_back(*line);
  }
  return lines;
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
