#include "fairlead/networks/graph_walk.h"

#include <numeric>
#include <utility>
#include <variant>

namespace fairlead {
namespace {

// Makes the operator read `same_as[t]` in place of each tensor t.
void Redirect(GraphOperator& op, const std::vector<TensorIndex>& same_as) {
  for (TensorIndex& input : op.inputs) input = same_as[input];
  for (PostOperation& post : op.then) {
    if (auto* added = std::get_if<AddedTensor>(&post)) added->tensor = same_as[added->tensor];
  }
}

}  // namespace

OperatorGraph GraphWalk::Over(OperatorGraph graph, const Visit& visit) {
  GraphWalk walk(std::move(graph));
  std::vector<GraphOperator> operators = std::move(walk.graph_.operators);
  walk.graph_.operators.clear();
  walk.graph_.operators.reserve(operators.size());
  for (GraphOperator& op : operators) {
    Redirect(op, walk.same_as_);
    visit(walk, std::move(op));
  }
  walk.DropTheUseless();
  walk.ForgetUnreadConstants();
  return std::move(walk.graph_);
}

GraphWalk::GraphWalk(OperatorGraph graph)
    : graph_(std::move(graph)),
      producers_(graph_.tensors.size(), kNobody),
      reads_(graph_.tensors.size(), 0),
      is_output_(graph_.tensors.size(), false),
      same_as_(graph_.tensors.size()) {
  DropTheUseless();
  std::iota(same_as_.begin(), same_as_.end(), TensorIndex{0});
  for (TensorIndex output : graph_.outputs) {
    is_output_[output] = true;
    ++reads_[output];
  }
  for (const GraphOperator& op : graph_.operators) {
    for (TensorIndex tensor : op.Reads()) ++reads_[tensor];
  }
}

void GraphWalk::DropTheUseless() {
  std::vector<bool> needed(graph_.tensors.size(), false);
  for (TensorIndex output : graph_.outputs) needed[output] = true;
  std::vector<bool> useful(graph_.operators.size(), false);
  for (std::size_t i = graph_.operators.size(); i-- > 0;) {
    if (!needed[graph_.operators[i].output]) continue;
    useful[i] = true;
    for (TensorIndex tensor : graph_.operators[i].Reads()) needed[tensor] = true;
  }
  std::erase_if(graph_.operators,
                [&, i = std::size_t{0}](const GraphOperator&) mutable { return !useful[i++]; });
}

void GraphWalk::ForgetUnreadConstants() {
  std::vector<bool> read(graph_.tensors.size(), false);
  for (TensorIndex output : graph_.outputs) read[output] = true;
  for (const GraphOperator& op : graph_.operators) {
    for (TensorIndex tensor : op.Reads()) read[tensor] = true;
  }
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (!read[i]) graph_.tensors[i].constant = nullptr;
  }
}

GraphOperator* GraphWalk::ProducerOf(TensorIndex tensor) {
  const std::size_t producer = producers_[tensor];
  return producer == kNobody ? nullptr : &graph_.operators[producer];
}

GraphOperator* GraphWalk::ProducerForThisOnly(TensorIndex tensor) {
  return reads_[tensor] == 1 && !is_output_[tensor] ? ProducerOf(tensor) : nullptr;
}

bool GraphWalk::Precedes(TensorIndex tensor, TensorIndex other) const {
  return producers_[tensor] == kNobody || producers_[tensor] < producers_[other];
}

void GraphWalk::Keep(GraphOperator op) {
  producers_[op.output] = graph_.operators.size();
  graph_.operators.push_back(std::move(op));
}

void GraphWalk::ReadInstead(GraphOperator& op, std::vector<TensorIndex> inputs) {
  for (TensorIndex tensor : inputs) ++reads_[tensor];
  for (TensorIndex tensor : op.inputs) Release(tensor);
  op.inputs = std::move(inputs);
}

// One reader less; what computes a tensor without readers reads nothing either.
void GraphWalk::Release(TensorIndex tensor) {
  std::vector<TensorIndex> released{tensor};
  while (!released.empty()) {
    const TensorIndex next = released.back();
    released.pop_back();
    if (--reads_[next] > 0) continue;
    if (const GraphOperator* producer = ProducerOf(next)) {
      for (TensorIndex read : producer->Reads()) released.push_back(read);
    }
  }
}

TensorIndex GraphWalk::NewTensor(std::string name, TensorDims dims) {
  const auto index = static_cast<TensorIndex>(graph_.tensors.size());
  graph_.tensors.push_back({.name = std::move(name), .dims = std::move(dims), .constant = nullptr});
  producers_.push_back(kNobody);
  reads_.push_back(1);
  is_output_.push_back(false);
  same_as_.push_back(index);
  return index;
}

void GraphWalk::LetCompute(GraphOperator& producer, TensorIndex tensor) {
  producers_[tensor] = producers_[producer.output];
  producers_[producer.output] = kNobody;
  producer.output = tensor;
}

bool GraphWalk::HandOn(const GraphOperator& op) {
  const TensorIndex input = op.inputs[0];
  if (!is_output_[op.output]) {
    same_as_[op.output] = input;
    reads_[input] += reads_[op.output] - 1;
    return true;
  }
  GraphOperator* producer = ProducerForThisOnly(input);
  if (producer == nullptr) return false;
  LetCompute(*producer, op.output);
  return true;
}

bool GraphWalk::LetBeConstant(const GraphOperator& op, WeightsPointer values) {
  if (is_output_[op.output]) return false;
  graph_.tensors[op.output].constant = std::move(values);
  return true;
}

}  // namespace fairlead
