#include "fairlead/networks/weight_drawing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"

namespace fairlead {
namespace {

WeightsPointer OpenWeights(TensorDims dims) {
  return std::make_shared<const Weights>(Weights{.dims = std::move(dims), .values = {}});
}

// With weights that no other operator shares.
Convolution OpenConvolution() {
  return {.window = {.kernel = {3, 3}}, .weights = OpenWeights({16, 16, 3, 3})};
}

// The root of the mean square of what the first output gets.
double SizeOfOutput(const OperatorGraph& graph) {
  const auto outputs = ReferenceOutputs(graph, 1, RandomInputs(graph, 1, 1));
  double sum = 0;
  for (float value : outputs[0]) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum / static_cast<double>(outputs[0].size()));
}

TEST(DrawWeights, LeavesWhatIsThere) {
  GraphBuilder graph;
  const WeightsPointer given = MakeWeights({1, 2}, {3, 4});
  graph.Output(graph.Apply("fc", Linear{given, OpenWeights({1})}, {graph.Input("x", {2})}));
  const OperatorGraph drawn = DrawWeights(graph.Take(), 1);
  EXPECT_EQ(std::get<Linear>(drawn.operators[0].body).weights, given);
  EXPECT_EQ(std::get<Linear>(drawn.operators[0].body).bias->values.size(), 1);
}

TEST(DrawWeights, AnotherOperatorDoesNotChangeTheRest) {
  const auto weights_of_last = [](bool with_another) {
    GraphBuilder graph;
    const TensorIndex x = graph.Input("x", {16, 9, 9});
    if (with_another) graph.Output(graph.Apply("other", OpenConvolution(), {x}));
    graph.Output(graph.Apply("conv", OpenConvolution(), {x}));
    const OperatorGraph drawn = DrawWeights(graph.Take(), 1);
    return std::get<Convolution>(drawn.operators.back().body).weights->values;
  };
  EXPECT_EQ(weights_of_last(true), weights_of_last(false));
}

TEST(DrawWeights, LayersKeepTheSizeOfActivationsAndSums) {
  for (ActivationKind kind : {ActivationKind::kRelu, ActivationKind::kSigmoid,
                              ActivationKind::kSilu, ActivationKind::kExp}) {
    GraphBuilder graph;
    TensorIndex x = graph.Input("x", {16, 12, 12});
    x = graph.Apply("conv1", OpenConvolution(), {x});
    const TensorIndex y = graph.Apply("activation", Activation{kind}, {x});
    x = graph.Apply("add", Binary{BinaryKind::kAdd}, {x, y});
    graph.Output(graph.Apply("conv2", OpenConvolution(), {x}));
    const double size = SizeOfOutput(DrawWeights(graph.Take(), 1));
    EXPECT_GT(size, 0.6) << static_cast<int>(kind);
    EXPECT_LT(size, 1.6) << static_cast<int>(kind);
  }
}

TEST(DrawWeights, ScalesMakeSizesEqual) {
  GraphBuilder graph;
  TensorIndex x = graph.Input("x", {16, 8, 8});
  x = graph.Apply("large", Activation{ActivationKind::kLinear, 100, 0}, {x});
  graph.Output(graph.Apply("scale", ChannelScale{OpenWeights({16}), OpenWeights({16})}, {x}));
  const double size = SizeOfOutput(DrawWeights(graph.Take(), 1));
  EXPECT_GT(size, 0.8);
  EXPECT_LT(size, 1.2);
}

}  // namespace
}  // namespace fairlead
