// Small models as operators, for the tests of the import.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <variant>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/onnx/testing/test_model.h"

namespace fairlead {

// Weights that are left out are drawn.
inline OperatorGraph ImportGraph(const TestModel& model) {
  auto graph = ImportOperators("some/net.onnx", model.Bytes(), {.weights_seed = 1});
  if (!graph.has_value()) throw std::runtime_error(graph.error().message);
  return std::move(*graph);
}

template <typename Body>
Body BodyOf(const OperatorGraph& graph, std::size_t index = 0) {
  return std::get<Body>(graph.operators.at(index).body);
}

// The body of a graph with a single operator.
template <typename Body>
Body Only(const TestModel& model) {
  const OperatorGraph graph = ImportGraph(model);
  if (graph.operators.size() != 1) throw std::runtime_error("several operators");
  return BodyOf<Body>(graph);
}

inline TensorDims OutputDims(const OperatorGraph& graph) {
  return graph.tensors[graph.outputs.at(0)].dims;
}

inline TestModel Image(std::int64_t batch = 1, std::int64_t opset = 13) {
  return TestModel({batch, 4, 9, 8}, opset);
}

}  // namespace fairlead
