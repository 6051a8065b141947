// Graphs of a single operator, for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

inline WeightsPointer SampleWeights(TensorDims dims, std::uint64_t seed) {
  auto weights = std::make_shared<Weights>();
  RandomStream random(seed, "weights");
  const std::int64_t elements = ElementsOf(dims);
  weights->dims = std::move(dims);
  for (std::int64_t i = 0; i < elements; ++i)
    weights->values.push_back(static_cast<float>(random.Uniform() - 0.5));
  return weights;
}

// One operator on inputs of these dimensions, and one more input for each tensor that is added.
inline OperatorGraph SingleOperator(OperatorBody body, const std::vector<TensorDims>& inputs,
                                    TensorDims output, std::vector<PostOperation> then = {}) {
  OperatorGraph graph{.name = "single"};
  GraphOperator op{.name = "op", .body = std::move(body)};
  const auto add_input = [&](const TensorDims& dims) {
    graph.inputs.push_back(static_cast<TensorIndex>(graph.tensors.size()));
    graph.tensors.push_back({.name = std::to_string(graph.tensors.size()), .dims = dims});
    return graph.inputs.back();
  };
  for (const TensorDims& dims : inputs) op.inputs.push_back(add_input(dims));
  for (PostOperation& post : then) {
    if (auto* added = std::get_if<AddedTensor>(&post)) added->tensor = add_input(output);
  }
  op.then = std::move(then);
  op.output = static_cast<TensorIndex>(graph.tensors.size());
  graph.tensors.push_back({.name = "out", .dims = std::move(output)});
  graph.outputs = {op.output};
  graph.operators.push_back(std::move(op));
  return graph;
}

}  // namespace fairlead
