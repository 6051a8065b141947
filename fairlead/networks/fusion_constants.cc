#include <limits>
#include <optional>
#include <utility>

#include "fairlead/networks/constant_operand.h"
#include "fairlead/networks/fusion_passes.h"
#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/graph_walk.h"
#include "fairlead/networks/reference_operators.h"

namespace fairlead {
namespace {

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

}  // namespace

OperatorGraph EvaluateConstants(OperatorGraph graph) {
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    if (WeightsPointer values = Evaluated(walk, op);
        values == nullptr || !walk.LetBeConstant(op, std::move(values)))
      walk.Keep(std::move(op));
  });
}

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
