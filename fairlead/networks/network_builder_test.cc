#include "fairlead/networks/network_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/networks/graph_layers.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<NetworkLayer> LayersBuiltBy(NetworkBuilder& net) { return LayersOf(net.Take()); }

TEST(NetworkBuilder, ConvolutionsRoundTheirSizeDown) {
  NetworkBuilder net;
  const Tensor out = net.Convolution("c", net.Input(3, 8, 9), Valid(5, 3, 2));
  EXPECT_EQ(out.height, 3);  // (8 - 3) / 2 + 1
  EXPECT_EQ(out.width, 4);   // (9 - 3) / 2 + 1
}

TEST(NetworkBuilder, BatchNormsHaveTwoParametersAChannel) {
  NetworkBuilder net;
  net.Convolution("c", net.Input(3, 8, 8), Same(5, 3));
  EXPECT_EQ(LayersBuiltBy(net)[0].parameters, 5 * 3 * 9 + 2 * 5);
}

TEST(NetworkBuilder, WithoutAnEpilogueThereAreWeightsOnly) {
  NetworkBuilder net;
  net.Convolution("c", net.Input(3, 8, 8), Same(5, 3).With(Epilogue::kNothing));
  EXPECT_EQ(LayersBuiltBy(net)[0].parameters, 5 * 3 * 9);
}

TEST(NetworkBuilder, GroupsShareNoWeights) {
  NetworkBuilder net;
  ConvolutionSpec spec = Same(8, 3).With(Epilogue::kNothing);
  spec.groups = 2;
  net.Convolution("c", net.Input(4, 8, 8), spec);
  const NetworkLayer layer = LayersBuiltBy(net)[0];
  EXPECT_EQ(layer.shape.kind, LayerKind::kConvolution);
  EXPECT_EQ(layer.parameters, 8 * 2 * 9);
}

TEST(NetworkBuilder, OneChannelAloneIsNoDepthwiseConvolution) {
  NetworkBuilder net;
  net.Convolution("c", net.Input(1, 8, 8), Depthwise(1, 3));
  EXPECT_EQ(LayersBuiltBy(net)[0].shape.kind, LayerKind::kConvolution);
}

TEST(NetworkBuilder, PoolsRoundDownUnlessAsked) {
  NetworkBuilder net;
  const Tensor x = net.Input(3, 6, 7);
  EXPECT_EQ(net.Pool("down", x, {.kernel = 3, .stride = 2}).height, 2);
  EXPECT_EQ(net.Pool("up", x, {.kernel = 3, .stride = 2, .round = PoolSpec::Round::kUp}).height, 3);
}

TEST(NetworkBuilder, NoPoolBeginsBehindTheData) {
  // A fourth window would begin at 7, where only padding is.
  NetworkBuilder net;
  const PoolSpec spec{.kernel = 2, .stride = 2, .pad = 1, .round = PoolSpec::Round::kUp};
  EXPECT_EQ(net.Pool("pool", net.Input(3, 5, 5), spec).height, 3);
}

TEST(NetworkBuilder, ConcatenationsAndHalvesAreFree) {
  NetworkBuilder net;
  const Tensor x = net.Input(4, 8, 8);
  EXPECT_EQ(net.Concatenate({net.Halves(x)[0], x}).channels, 6);
  EXPECT_THAT(LayersBuiltBy(net), IsEmpty());
}

TEST(NetworkBuilder, LinearLayersFlattenAndHaveABias) {
  NetworkBuilder net;
  net.Linear("fc", net.Input(3, 2, 2), 7);
  EXPECT_EQ(LayersBuiltBy(net)[0].parameters, 12 * 7 + 7);
}

TEST(NetworkBuilder, PoolsWaitForTheirInput) {
  NetworkBuilder net;
  const Tensor x = net.Convolution("c", net.Input(3, 8, 8), Same(5, 3));
  net.Pool("p", x, {.kernel = 2, .stride = 2});
  EXPECT_THAT(LayersBuiltBy(net)[1].after, ElementsAre(0));
}

TEST(NetworkBuilder, AddingWhatDescendsFromTheOtherWaitsForOne) {
  NetworkBuilder net;
  const Tensor x = net.Convolution("a", net.Input(5, 8, 8), Same(5, 3));
  const Tensor y = net.Convolution("b", x, Same(5, 3));
  net.Add("add", y, x);
  EXPECT_THAT(LayersBuiltBy(net)[2].after, ElementsAre(1));
}

std::vector<std::string_view> Kinds(const OperatorGraph& graph) {
  std::vector<std::string_view> kinds;
  for (const GraphOperator& op : graph.operators) kinds.push_back(NameOf(op.body));
  return kinds;
}

TEST(NetworkBuilder, ConvolutionsAreNormalisedAndActivated) {
  NetworkBuilder net(kSilu);
  net.Convolution("c", net.Input(3, 8, 8), Same(5, 3));
  const OperatorGraph graph = net.Take();
  EXPECT_THAT(Kinds(graph), ElementsAre("Convolution", "ChannelScale", "Activation"));
  EXPECT_EQ(std::get<Activation>(graph.operators[2].body).kind, ActivationKind::kSilu);
}

TEST(NetworkBuilder, ConvolutionsDoWhatTheirSpecSays) {
  NetworkBuilder net;
  const Tensor x = net.Input(3, 8, 8);
  net.Convolution("a", x, Same(5, 3).With(kIdentity));
  net.Convolution("b", x, Same(5, 3).With(Epilogue::kBias).With(kSigmoid));
  const OperatorGraph graph = net.Take();
  EXPECT_THAT(Kinds(graph),
              ElementsAre("Convolution", "ChannelScale", "Convolution", "Activation"));
  EXPECT_EQ(std::get<Convolution>(graph.operators[0].body).bias, nullptr);
  EXPECT_THAT(std::get<Convolution>(graph.operators[2].body).bias->dims, ElementsAre(5));
}

TEST(NetworkBuilder, PoolsThatRoundUpReachBehindTheData) {
  NetworkBuilder net;
  net.Pool("p", net.Input(3, 6, 7), {.kernel = 3, .stride = 2, .round = PoolSpec::Round::kUp});
  const OperatorGraph graph = net.Take();
  EXPECT_THAT(std::get<Pool>(graph.operators[0].body).window.pad_after, ElementsAre(1, 0));
}

TEST(NetworkBuilder, WhatNothingReadsIsAnOutput) {
  NetworkBuilder net;
  const Tensor x = net.Convolution("c", net.Input(4, 8, 8), Same(4, 3));
  const Tensor a = net.Add("a", x, x);
  const Tensor b = net.Flatten(net.GlobalPool("b", x));
  EXPECT_THAT(net.Take().outputs, ElementsAre(a.index, b.index));
}

TEST(NetworkBuilder, FlatteningTwiceIsFlatteningOnce) {
  NetworkBuilder net;
  const Tensor x = net.Flatten(net.Input(4, 8, 8));
  EXPECT_EQ(net.Flatten(x).index, x.index);
}

TEST(NetworkBuilderDeathTest, AddingOtherShapesIsABug) {
  NetworkBuilder net;
  const Tensor x = net.Input(5, 8, 8);
  EXPECT_DEATH(net.Add("add", x, net.Input(6, 8, 8)), "channels");
}

}  // namespace
}  // namespace fairlead
