#include <utility>

#include "fairlead/networks/fusion_passes.h"
#include "fairlead/networks/graph_walk.h"

namespace fairlead {
namespace {

bool CanCarry(const GraphOperator& op) {
  return std::holds_alternative<Convolution>(op.body) || std::holds_alternative<Linear>(op.body) ||
         std::holds_alternative<Binary>(op.body) || std::holds_alternative<ChannelScale>(op.body);
}

// The operator that computes `tensor`, if it can do so much more with it that this is all that the
// operator being visited needs.
GraphOperator* CarrierOf(GraphWalk& walk, TensorIndex tensor) {
  GraphOperator* producer = walk.ProducerForThisOnly(tensor);
  return producer != nullptr && CanCarry(*producer) ? producer : nullptr;
}

void Absorb(GraphWalk& walk, GraphOperator& carrier, const PostOperation& post,
            const GraphOperator& op) {
  carrier.then.push_back(post);
  walk.LetCompute(carrier, op.output);
}

bool AbsorbActivation(GraphWalk& walk, const GraphOperator& op) {
  const auto* activation = PlainBody<Activation>(&op);
  if (activation == nullptr) return false;
  GraphOperator* carrier = CarrierOf(walk, op.inputs[0]);
  if (carrier == nullptr) return false;
  Absorb(walk, *carrier, *activation, op);
  return true;
}

// Into the later of the two that compute the operands: the other's result is there by then.
bool AbsorbAddition(GraphWalk& walk, const GraphOperator& op) {
  const auto* binary = PlainBody<Binary>(&op);
  if (binary == nullptr || binary->kind != BinaryKind::kAdd) return false;
  for (std::size_t i : {0, 1}) {
    const TensorIndex operand = op.inputs[i];
    const TensorIndex other = op.inputs[1 - i];
    if (walk.dims(operand) != walk.dims(other) || walk.tensor(other).constant != nullptr) continue;
    GraphOperator* carrier = CarrierOf(walk, operand);
    if (carrier == nullptr || !walk.Precedes(other, operand)) continue;
    Absorb(walk, *carrier, AddedTensor{other}, op);
    return true;
  }
  return false;
}

}  // namespace

OperatorGraph AbsorbPostOperations(OperatorGraph graph) {
  return GraphWalk::Over(std::move(graph), [](GraphWalk& walk, GraphOperator op) {
    if (AbsorbActivation(walk, op) || AbsorbAddition(walk, op)) return;
    walk.Keep(std::move(op));
  });
}

}  // namespace fairlead
