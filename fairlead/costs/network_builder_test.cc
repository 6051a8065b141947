#include "fairlead/costs/network_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NetworkBuilder, InputsHaveNoPredecessors) {
  EXPECT_THAT(NetworkBuilder::Input(3, 8, 8).from, IsEmpty());
}

TEST(NetworkBuilder, ConvolutionsRoundTheirSizeDown) {
  NetworkBuilder net;
  const Tensor out = net.Convolution("c", NetworkBuilder::Input(3, 8, 9), Valid(5, 3, 2));
  EXPECT_EQ(out.height, 3);  // (8 - 3) / 2 + 1
  EXPECT_EQ(out.width, 4);   // (9 - 3) / 2 + 1
}

TEST(NetworkBuilder, BatchNormsHaveTwoParametersAChannel) {
  NetworkBuilder net;
  net.Convolution("c", NetworkBuilder::Input(3, 8, 8), Same(5, 3));
  EXPECT_EQ(net.Take()[0].parameters, 5 * 3 * 9 + 2 * 5);
}

TEST(NetworkBuilder, WithoutAnEpilogueThereAreWeightsOnly) {
  NetworkBuilder net;
  net.Convolution("c", NetworkBuilder::Input(3, 8, 8), Same(5, 3).With(Epilogue::kNothing));
  EXPECT_EQ(net.Take()[0].parameters, 5 * 3 * 9);
}

TEST(NetworkBuilder, GroupsShareNoWeights) {
  NetworkBuilder net;
  ConvolutionSpec spec = Same(8, 3).With(Epilogue::kNothing);
  spec.groups = 2;
  net.Convolution("c", NetworkBuilder::Input(4, 8, 8), spec);
  const NetworkLayer layer = net.Take()[0];
  EXPECT_EQ(layer.shape.kind, LayerKind::kConvolution);
  EXPECT_EQ(layer.parameters, 8 * 2 * 9);
}

TEST(NetworkBuilder, OneChannelAloneIsNoDepthwiseConvolution) {
  NetworkBuilder net;
  net.Convolution("c", NetworkBuilder::Input(1, 8, 8), Depthwise(1, 3));
  EXPECT_EQ(net.Take()[0].shape.kind, LayerKind::kConvolution);
}

TEST(NetworkBuilder, PoolsRoundDownUnlessAsked) {
  NetworkBuilder net;
  const Tensor x = NetworkBuilder::Input(3, 6, 7);
  EXPECT_EQ(net.Pool("down", x, {.kernel = 3, .stride = 2}).height, 2);
  EXPECT_EQ(net.Pool("up", x, {.kernel = 3, .stride = 2, .round = PoolSpec::Round::kUp}).height, 3);
}

TEST(NetworkBuilder, NoPoolBeginsBehindTheData) {
  // A fourth window would begin at 7, where only padding is.
  NetworkBuilder net;
  const PoolSpec spec{.kernel = 2, .stride = 2, .pad = 1, .round = PoolSpec::Round::kUp};
  EXPECT_EQ(net.Pool("pool", NetworkBuilder::Input(3, 5, 5), spec).height, 3);
}

TEST(NetworkBuilder, ConcatenationsAndHalvesAreFree) {
  NetworkBuilder net;
  const Tensor x = NetworkBuilder::Input(4, 8, 8);
  EXPECT_EQ(net.Concatenate({NetworkBuilder::Half(x), x}).channels, 6);
  EXPECT_THAT(net.Take(), IsEmpty());
}

TEST(NetworkBuilder, LinearLayersFlattenAndHaveABias) {
  NetworkBuilder net;
  net.Linear("fc", NetworkBuilder::Input(3, 2, 2), 7);
  EXPECT_EQ(net.Take()[0].parameters, 12 * 7 + 7);
}

TEST(NetworkBuilder, PoolsWaitForTheirInput) {
  NetworkBuilder net;
  const Tensor x = net.Convolution("c", NetworkBuilder::Input(3, 8, 8), Same(5, 3));
  net.Pool("p", x, {.kernel = 2, .stride = 2});
  EXPECT_THAT(net.Take()[1].after, ElementsAre(0));
}

TEST(NetworkBuilder, AddingWhatDescendsFromTheOtherWaitsForOne) {
  NetworkBuilder net;
  const Tensor x = net.Convolution("a", NetworkBuilder::Input(5, 8, 8), Same(5, 3));
  const Tensor y = net.Convolution("b", x, Same(5, 3));
  net.Add("add", y, x);
  EXPECT_THAT(net.Take()[2].after, ElementsAre(1));
}

TEST(NetworkBuilderDeathTest, AddingOtherShapesIsABug) {
  NetworkBuilder net;
  const Tensor x = NetworkBuilder::Input(5, 8, 8);
  EXPECT_DEATH(net.Add("add", x, NetworkBuilder::Input(6, 8, 8)), "channels");
}

}  // namespace
}  // namespace fairlead
