// One walk over the operators of a graph that rewrites it: each operator after those that it reads
// from, so that what has been kept so far can be looked up by the tensor that it computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

class GraphWalk {
 public:
  // Keeps the operator, or makes others do its work.
  using Visit = std::function<void(GraphWalk&, GraphOperator)>;

  // The graph with each operator, of those that an output depends on, as `visit` leaves it.
  static OperatorGraph Over(OperatorGraph graph, const Visit& visit);

  const GraphTensor& tensor(TensorIndex index) const { return graph_.tensors[index]; }
  const TensorDims& dims(TensorIndex index) const { return graph_.tensors[index].dims; }

  // The operator, kept before, that computes this tensor; null if it is given or constant. Valid
  // until the next Keep.
  GraphOperator* ProducerOf(TensorIndex tensor);
  // The same, but null also if anything else than the operator being visited needs the tensor.
  GraphOperator* ProducerForThisOnly(TensorIndex tensor);
  // Whether `tensor` is there before the operator, kept before, that computes `other` runs.
  bool Precedes(TensorIndex tensor, TensorIndex other) const;

  void Keep(GraphOperator op);
  // The operator being visited reads these in place of its inputs, for which others may have no use
  // then.
  void ReadInstead(GraphOperator& op, std::vector<TensorIndex> inputs);
  TensorIndex NewTensor(std::string name, TensorDims dims);
  // An operator kept before computes another tensor from now on, that of the operator being
  // visited.
  void LetCompute(GraphOperator& producer, TensorIndex tensor);
  // The operator being visited only hands on its input. False where it has to stay all the same,
  // since its result is an output.
  bool HandOn(const GraphOperator& op);
  // The operator being visited always computes these numbers. False as for HandOn.
  bool LetBeConstant(const GraphOperator& op, WeightsPointer values);

 private:
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

  explicit GraphWalk(OperatorGraph graph);
  void Release(TensorIndex tensor);
  void DropTheUseless();
  void ForgetUnreadConstants();

  OperatorGraph graph_;
  std::vector<std::size_t> producers_;  // of each tensor, among the kept operators
  std::vector<std::int64_t> reads_;     // of each tensor; being an output counts
  std::vector<bool> is_output_;
  std::vector<TensorIndex> same_as_;  // of each tensor that was handed on; else itself
};

// What the operator is, if it is a `Body` and does nothing else; null otherwise.
template <typename Body>
const Body* PlainBody(const GraphOperator* op) {
  return op != nullptr && op->then.empty() ? std::get_if<Body>(&op->body) : nullptr;
}

}  // namespace fairlead
