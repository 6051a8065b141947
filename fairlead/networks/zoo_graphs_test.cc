
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>

#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"
#include "fairlead/networks/zoo.h"

namespace fairlead {

void PrintTo(const ZooEntry& entry, std::ostream* out) { *out << entry.name; }

namespace {

using ::testing::ElementsAre;

OperatorGraph Graph(std::string_view name) {
  auto graph = ZooGraph(name, 1);
  if (!graph.has_value()) throw std::runtime_error("no such network");
  return std::move(*graph);
}

// --- The operators without their weights, of all networks.

class EveryZooGraph : public ::testing::TestWithParam<ZooEntry> {
 protected:
  static const std::vector<NetworkLayer>& Layers() { return FindInZoo(GetParam().name)->layers; }
  const TensorDims& DimsOf(TensorIndex tensor) const { return graph_.tensors[tensor].dims; }

  // As the zoo would describe it; other operators have no kernel.
  LayerShape ShapeOf(const GraphOperator& op) const {
    const TensorDims& in = DimsOf(op.inputs[0]);
    const TensorDims& out = DimsOf(op.output);
    if (std::holds_alternative<Linear>(op.body))
      return {.kind = LayerKind::kLinear, .k = out[0], .c = in[0]};
    const auto& body = std::get<Convolution>(op.body);
    const bool depthwise = body.groups > 1 && body.groups == in[0];
    return {.kind = depthwise ? LayerKind::kDepthwise : LayerKind::kConvolution,
            .k = out[0],
            .c = in[0],
            .p = out[1],
            .q = out[2],
            .r = body.weights->dims[2],
            .s = body.weights->dims[3],
            .stride = body.window.stride[0],
            .groups = body.groups};
  }

  OperatorGraph graph_ = GetParam().build();
};

INSTANTIATE_TEST_SUITE_P(Networks, EveryZooGraph,
                         ::testing::ValuesIn(ZooEntries().begin(), ZooEntries().end()));

TEST_P(EveryZooGraph, MultipliesLikeItsLayers) {
  std::vector<NetworkLayer> expected;
  std::ranges::copy_if(Layers(), std::back_inserter(expected),
                       [](const NetworkLayer& layer) { return layer.shape.Multiplies(); });
  std::size_t found = 0;
  for (const GraphOperator& op : graph_.operators) {
    if (!std::holds_alternative<Convolution>(op.body) && !std::holds_alternative<Linear>(op.body))
      continue;
    ASSERT_LT(found, expected.size());
    EXPECT_EQ(op.name, expected[found].name);
    EXPECT_EQ(ShapeOf(op), expected[found].shape) << op.name;
    ++found;
  }
  EXPECT_EQ(found, expected.size());
}

TEST_P(EveryZooGraph, HasAnOperatorOfTheSameSizeForEachLayer) {
  std::map<std::string, std::int64_t> elements;
  for (const GraphOperator& op : graph_.operators)
    elements[op.name] = ElementsOf(DimsOf(op.output));
  for (const NetworkLayer& layer : Layers())
    EXPECT_EQ(elements[layer.name], layer.shape.Outputs()) << layer.name;
}

TEST_P(EveryZooGraph, HasTheParametersOfItsLayers) {
  std::int64_t parameters = 0;
  const auto count = [&](const WeightsPointer& weights) {
    if (weights != nullptr) parameters += ElementsOf(weights->dims);
  };
  for (const GraphOperator& op : graph_.operators) {
    if (const auto* convolution = std::get_if<Convolution>(&op.body)) {
      count(convolution->weights);
      count(convolution->bias);
    } else if (const auto* linear = std::get_if<Linear>(&op.body)) {
      count(linear->weights);
      count(linear->bias);
    } else if (const auto* scale = std::get_if<ChannelScale>(&op.body)) {
      count(scale->scale);
      count(scale->shift);
    }
  }
  EXPECT_EQ(parameters, FindInZoo(GetParam().name)->Parameters());
}

TEST_P(EveryZooGraph, TakesTheInput) {
  ASSERT_EQ(graph_.inputs.size(), 1);
  EXPECT_EQ(fmt::format("{}", fmt::join(DimsOf(graph_.inputs[0]), "x")), GetParam().input);
}

TEST_P(EveryZooGraph, ClassifiesOrDetects) {
  std::vector<TensorDims> outputs;
  for (TensorIndex output : graph_.outputs) outputs.push_back(DimsOf(output));
  if (GetParam().name == "yolo-v3") {
    EXPECT_THAT(outputs, ElementsAre(TensorDims{255, 13, 13}, TensorDims{255, 26, 26},
                                     TensorDims{255, 52, 52}));
  } else {
    EXPECT_THAT(outputs, ElementsAre(TensorDims{1000}));
  }
}

// --- With weights, of those that have few.

TEST(ZooGraph, HasNoOtherNetworks) { EXPECT_FALSE(ZooGraph("vgg", 1).has_value()); }

TEST(ZooGraph, HasAllWeights) {
  EXPECT_EQ(Graph("squeezenet1-1").WeightCount(), FindInZoo("squeezenet1-1")->Parameters());
  EXPECT_EQ(Graph("mobilenet-v2").WeightCount(), FindInZoo("mobilenet-v2")->Parameters());
}

std::vector<float> FirstWeights(const OperatorGraph& graph) {
  return std::get<Convolution>(graph.operators.at(0).body).weights->values;
}

TEST(ZooGraph, IsTheSameForTheSameSeedOnly) {
  EXPECT_EQ(FirstWeights(*ZooGraph("squeezenet1-1", 1)),
            FirstWeights(*ZooGraph("squeezenet1-1", 1)));
  EXPECT_NE(FirstWeights(*ZooGraph("squeezenet1-1", 1)),
            FirstWeights(*ZooGraph("squeezenet1-1", 2)));
}

double MeanSquare(const std::vector<float>& values) {
  double sum = 0;
  for (float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

class SmallZooGraph : public ::testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(Networks, SmallZooGraph,
                         ::testing::Values("mnasnet1-0", "mobilenet-v3-large",
                                           "shufflenet-v2-x1-0"));

// Through some fifty layers and more.
TEST_P(SmallZooGraph, NeitherVanishesNorExplodes) {
  OperatorGraph graph = FuseOperators(Graph(GetParam()));
  graph.outputs.clear();
  for (const GraphOperator& op : graph.operators) graph.outputs.push_back(op.output);
  const auto tensors = ReferenceOutputs(graph, 1, RandomInputs(graph, 1, 1));
  ASSERT_EQ(tensors.size(), graph.operators.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const double size = std::sqrt(MeanSquare(tensors[i]));
    EXPECT_GT(size, 0.05) << graph.operators[i].name;
    EXPECT_LT(size, 20) << graph.operators[i].name;
  }
}

std::size_t Count(const OperatorGraph& graph, std::string_view kind) {
  return static_cast<std::size_t>(std::ranges::count_if(
      graph.operators, [&](const GraphOperator& op) { return NameOf(op.body) == kind; }));
}

TEST(FusedZooGraph, ResidualAdditionsAndBatchNormsAreAbsorbed) {
  const OperatorGraph graph = FuseOperators(Graph("resnet18"));
  EXPECT_EQ(Count(graph, "Convolution"), 20);
  EXPECT_EQ(Count(graph, "Pool"), 2);
  EXPECT_EQ(Count(graph, "Reshape"), 1);
  EXPECT_EQ(Count(graph, "Linear"), 1);
  EXPECT_EQ(graph.operators.size(), 24);
}

TEST(FusedZooGraph, GatesStay) {
  const OperatorGraph graph = FuseOperators(Graph("mobilenet-v3-large"));
  EXPECT_EQ(Count(graph, "Binary"), 8);
  EXPECT_EQ(Count(graph, "Activation"), 0);
  EXPECT_EQ(Count(graph, "ChannelScale"), 0);
}

TEST(FusedZooGraph, NormsBeforeTheirConvolutionStay) {
  EXPECT_EQ(Count(FuseOperators(Graph("densenet121")), "ChannelScale"), 58 + 3 + 1);
}

}  // namespace
}  // namespace fairlead
