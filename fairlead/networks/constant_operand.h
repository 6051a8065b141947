// Arithmetic of a computed tensor with a constant: what it does to each number.
#pragma once

#include <optional>

#include "fairlead/networks/graph_walk.h"
#include "fairlead/networks/operator_graph.h"
#include "fairlead/networks/scale_and_shift.h"

namespace fairlead {

struct ConstantOperand {
  BinaryKind kind = BinaryKind::kAdd;
  bool first = false;  // the constant is the first operand
  TensorDims dims;     // of the constant
  WeightsPointer values;
  TensorIndex computed = 0;  // the other operand

  // The scales that the constant's numbers stand for, in order; none where one is no scale.
  std::optional<ScalesAndShifts> AsScalesAndShifts() const;
};

// None if the operator is anything else, or if the constant stretches the other operand.
std::optional<ConstantOperand> ConstantOperandOf(const GraphWalk& walk, const GraphOperator& op);

}  // namespace fairlead
