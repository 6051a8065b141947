#include "fairlead/networks/graph_builder.h"

#include "fairlead/base/check.h"
#include "fairlead/networks/operator_dims.h"

namespace fairlead {

WeightsPointer MakeWeights(TensorDims dims, std::vector<float> values) {
  CHECK(ElementsOf(dims) == static_cast<std::int64_t>(values.size()));
  return std::make_shared<const Weights>(
      Weights{.dims = std::move(dims), .values = std::move(values)});
}

TensorIndex GraphBuilder::NewTensor(std::string name, TensorDims dims) {
  graph_.tensors.push_back({.name = std::move(name), .dims = std::move(dims), .constant = nullptr});
  return static_cast<TensorIndex>(graph_.tensors.size() - 1);
}

TensorIndex GraphBuilder::Input(std::string name, TensorDims dims) {
  const TensorIndex tensor = NewTensor(std::move(name), std::move(dims));
  graph_.inputs.push_back(tensor);
  return tensor;
}

TensorIndex GraphBuilder::Constant(std::string name, TensorDims dims, std::vector<float> values) {
  const TensorIndex tensor = NewTensor(std::move(name), dims);
  graph_.tensors[tensor].constant = MakeWeights(std::move(dims), std::move(values));
  return tensor;
}

TensorIndex GraphBuilder::Apply(std::string name, OperatorBody body,
                                std::vector<TensorIndex> inputs) {
  std::vector<TensorDims> input_dims;
  for (TensorIndex input : inputs) input_dims.push_back(dims(input));
  TensorDims result = ResultDims(body, input_dims);
  return Apply(std::move(name), std::move(body), std::move(inputs), std::move(result));
}

TensorIndex GraphBuilder::Apply(std::string name, OperatorBody body,
                                std::vector<TensorIndex> inputs, TensorDims dims) {
  const TensorIndex output = NewTensor(name, std::move(dims));
  graph_.operators.push_back({.name = std::move(name),
                              .body = std::move(body),
                              .inputs = std::move(inputs),
                              .output = output,
                              .then = {}});
  return output;
}

}  // namespace fairlead
