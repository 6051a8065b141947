// Builds a graph operator by operator.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name = "") { graph_.name = std::move(name); }

  TensorIndex Input(std::string name, TensorDims dims);
  TensorIndex Constant(std::string name, TensorDims dims, std::vector<float> values);
  // The operator's result, named like it. Its dimensions follow from the inputs, or are given where
  // they do not.
  TensorIndex Apply(std::string name, OperatorBody body, std::vector<TensorIndex> inputs);
  TensorIndex Apply(std::string name, OperatorBody body, std::vector<TensorIndex> inputs,
                    TensorDims dims);
  void Output(TensorIndex tensor) { graph_.outputs.push_back(tensor); }

  const TensorDims& dims(TensorIndex tensor) const { return graph_.tensors[tensor].dims; }
  const OperatorGraph& graph() const { return graph_; }
  OperatorGraph Take() { return std::move(graph_); }

 private:
  TensorIndex NewTensor(std::string name, TensorDims dims);

  OperatorGraph graph_;
};

// The numbers as weights of these dimensions.
WeightsPointer MakeWeights(TensorDims dims, std::vector<float> values);

}  // namespace fairlead
