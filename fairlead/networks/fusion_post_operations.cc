#include <algorithm>
#include <utility>

#include "fairlead/networks/fusion_passes.h"
#include "fairlead/networks/graph_walk.h"

namespace fairlead {
namespace {

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

}  // namespace

OperatorGraph AbsorbPostOperations(OperatorGraph graph, std::span<const std::size_t> segments) {
  return GraphWalk::Over(std::move(graph), [segments](GraphWalk& walk, GraphOperator op) {
    Absorber absorber(walk, segments, op);
    if (absorber.AbsorbActivation() || absorber.AbsorbAddition()) return;
    walk.Keep(std::move(op));
  });
}

}  // namespace fairlead
