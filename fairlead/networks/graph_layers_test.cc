#include "fairlead/networks/graph_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"
#include "fairlead/networks/zoo.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

WeightsPointer Open(TensorDims dims) {
  return std::make_shared<const Weights>(Weights{.dims = std::move(dims), .values = {}});
}

// A layer for each of the entries of 0, 1, ... and the end.
std::vector<std::size_t> EachApart(std::size_t layers) {
  std::vector<std::size_t> bounds(layers + 1);
  std::iota(bounds.begin(), bounds.end(), std::size_t{0});
  return bounds;
}

// relu(x), its pool, and the sum of both convolved.
OperatorGraph Branches() {
  GraphBuilder graph;
  const TensorIndex x = graph.Input("x", {4, 6, 6});
  const Convolution same{.window = {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}},
                         .weights = MakeWeights({4, 4, 3, 3}, std::vector<float>(144, 0.1F))};
  const TensorIndex a = graph.Apply("a", same, {x});
  const TensorIndex b = graph.Apply("b", same, {x});
  const TensorIndex relu = graph.Apply("relu", Activation{}, {a});
  graph.Output(graph.Apply("sum", Binary{BinaryKind::kAdd}, {relu, b}));
  return graph.Take();
}

TEST(GraphLayers, OperatorsOfALayerComeTogetherWhenOrdered) {
  const OperatorGraph graph = Branches();
  const auto layers = FindLayers(graph);
  ASSERT_TRUE(layers.has_value());
  EXPECT_THAT(layers->layer_of, ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(layers->layers[2].after, ElementsAre(0, 1));
  EXPECT_THAT(OrderByLayers(graph, *layers).operators,
              ElementsAre(Field(&GraphOperator::name, "a"), Field(&GraphOperator::name, "relu"),
                          Field(&GraphOperator::name, "b"), Field(&GraphOperator::name, "sum")));
}

TEST(GraphLayers, AnAdditionIsAbsorbedWithinASegmentOnly) {
  const auto apart = FuseInSegments(Branches(), EachApart(3));
  ASSERT_TRUE(apart.has_value());
  EXPECT_THAT(apart->bounds, ElementsAre(0, 1, 2, 3));
  const auto pair = FuseInSegments(Branches(), std::vector<std::size_t>{0, 1, 3});
  ASSERT_TRUE(pair.has_value());
  EXPECT_THAT(pair->bounds, ElementsAre(0, 1, 2));
}

TEST(GraphLayers, SegmentsOfOtherLayersAreRefused) {
  const auto segmented = FuseInSegments(Branches(), EachApart(4));
  ASSERT_FALSE(segmented.has_value());
  EXPECT_EQ(segmented.error().message, "has 3 layers to run, and costs for 4");
}

TEST(GraphLayers, AnOpaqueOperatorCostsWhatItSays) {
  GraphBuilder graph;
  const TensorIndex x = graph.Input("x", {4, 6, 6});
  const Opaque opaque{.type = "TopK",
                      .shape = {.kind = LayerKind::kOther},
                      .constants = 3,
                      .other_results = 72,
                      .weights = {Open({5, 5})}};
  graph.Output(graph.Apply("top", opaque, {x}, {4, 6, 6}));
  const std::vector<NetworkLayer> layers = LayersOf(graph.Take());
  ASSERT_EQ(layers.size(), 1);
  EXPECT_EQ(layers[0].shape.kind, LayerKind::kOther);
  EXPECT_EQ(layers[0].shape.operands, 4 * 6 * 6 + 3);
  EXPECT_EQ(layers[0].shape.Outputs(), 4 * 6 * 6 + 72);
  EXPECT_EQ(layers[0].parameters, 25);
}

TEST(GraphLayers, WeightsInAnotherOrderCountOnce) {
  GraphBuilder graph;
  const WeightsPointer table = Open({4, 7});
  Weights turned{.dims = {7, 4}, .values = {}, .original = table};
  TensorIndex x = graph.Input("x", {7});
  x = graph.Apply("in", Linear{.weights = table}, {x});
  graph.Output(graph.Apply(
      "out", Linear{.weights = std::make_shared<const Weights>(std::move(turned))}, {x}));
  const std::vector<NetworkLayer> layers = LayersOf(graph.Take());
  EXPECT_EQ(layers[0].parameters, 28);
  EXPECT_EQ(layers[1].parameters, 0);
}

// What runs computes the same in segments of any size.
TEST(GraphLayers, RandomGraphsComputeTheSameInSegments) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const OperatorGraph graph = RandomGraph(seed, 14);
    const std::size_t layers = LayersOf(graph).size();
    const auto inputs = RandomInputs(graph, 1, seed);
    const auto expected = ReferenceOutputs(graph, 1, inputs);
    const auto apart = FuseInSegments(graph, EachApart(layers));
    ASSERT_TRUE(apart.has_value()) << apart.error().message;
    EXPECT_EQ(apart->bounds.back(), apart->graph.operators.size());
    EXPECT_TRUE(std::ranges::is_sorted(apart->graph.operators, {}, &GraphOperator::layer));
    const auto outputs = ReferenceOutputs(apart->graph, 1, inputs);
    ASSERT_EQ(outputs.size(), expected.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      ASSERT_EQ(outputs[i].size(), expected[i].size());
      for (std::size_t j = 0; j < outputs[i].size(); ++j) {
        const float scale = std::max(1.0F, std::abs(expected[i][j]));
        if (!std::isfinite(expected[i][j])) continue;
        ASSERT_NEAR(outputs[i][j], expected[i][j], 1e-3F * scale) << seed;
      }
    }
  }
}

class EveryNetworkRuns : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const LayeredNetwork& network : Zoo()) names.push_back(network.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetworkRuns, ::testing::ValuesIn(Names()));

// What an executor carries out, layer by layer, is what costs are known for.
TEST_P(EveryNetworkRuns, WithTheLayersThatArePriced) {
  const std::vector<NetworkLayer>& priced = FindInZoo(GetParam())->layers;
  const auto run = FuseInSegments(*ZooGraph(GetParam(), 1), EachApart(priced.size()));
  ASSERT_TRUE(run.has_value()) << run.error().message;
  const auto carried_out = FindLayers(run->graph);
  ASSERT_TRUE(carried_out.has_value());
  ASSERT_EQ(carried_out->layers.size(), priced.size());
  for (std::size_t i = 0; i < priced.size(); ++i) {
    EXPECT_LT(run->bounds[i], run->bounds[i + 1]) << priced[i].name;
    EXPECT_EQ(carried_out->layers[i].name, priced[i].name);
    EXPECT_EQ(carried_out->layers[i].shape, priced[i].shape) << priced[i].name;
    EXPECT_EQ(carried_out->layers[i].after, priced[i].after) << priced[i].name;
  }
}

}  // namespace
}  // namespace fairlead
