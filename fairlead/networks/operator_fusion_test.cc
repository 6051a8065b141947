#include "fairlead/networks/operator_fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/networks/testing/fused_graph.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

// --- Scales.

TEST_F(OperatorFusion, FoldsABatchNormIntoItsConvolution) {
  graph_.Output(Norm(Conv(image_)));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution"));
}

TEST_F(OperatorFusion, FoldsIntoAConvolutionWithoutABias) {
  const Convolution body{.weights = Drawn({3, 4, 1, 1})};
  graph_.Output(Norm(graph_.Apply("conv", body, {image_})));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution"));
}

TEST_F(OperatorFusion, FoldsIntoGroups) {
  const Convolution body{.window = {.kernel = {2, 2}}, .groups = 2, .weights = Drawn({6, 2, 2, 2})};
  graph_.Output(Norm(graph_.Apply("conv", body, {image_})));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution"));
}

TEST_F(OperatorFusion, FoldsIntoTransposedConvolutions) {
  const Convolution body{.window = {.kernel = {2, 3}, .stride = {2, 2}},
                         .groups = 2,
                         .weights = Drawn({4, 3, 2, 3}),
                         .transposed = true};
  graph_.Output(Norm(graph_.Apply("conv", body, {image_})));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution"));
}

TEST_F(OperatorFusion, FoldsIntoLinearLayers) {
  const TensorIndex flat = graph_.Apply("flat", Reshape{}, {image_}, {120});
  const Linear body{.weights = Drawn({7, 120}), .bias = nullptr};
  graph_.Output(Norm(graph_.Apply("linear", body, {flat})));
  EXPECT_THAT(Fuse(), ElementsAre("Reshape", "Linear"));
}

TEST_F(OperatorFusion, AddsAConstantForTheLastDimensionToTheBias) {
  const Linear body{.weights = Drawn({7, 6}), .bias = nullptr};
  const TensorIndex bias = graph_.Constant("bias", {7}, Drawn({7})->values);
  const TensorIndex product = graph_.Apply("linear", body, {image_});
  graph_.Output(Two(BinaryKind::kAdd, bias, product));
  EXPECT_THAT(Fuse(), ElementsAre("Linear"));
}

// The channels of a linear layer's result are not its outputs if there are more dimensions.
TEST_F(OperatorFusion, DoesNotFoldChannelsIntoOtherOutputs) {
  const Linear body{.weights = Drawn({4, 6}), .bias = nullptr};
  graph_.Output(Norm(graph_.Apply("linear", body, {image_})));
  EXPECT_THAT(Fuse(), ElementsAre("Linear", "ChannelScale"));
}

TEST_F(OperatorFusion, MergesScales) {
  graph_.Output(Act(ActivationKind::kLinear, Norm(Norm(image_)), 2, 1));
  EXPECT_THAT(Fuse(), ElementsAre("ChannelScale"));
}

TEST_F(OperatorFusion, LeavesAScaleBeforeSomethingWithMoreChannels) {
  const Padding channels{.before = {9, 0, 0}, .after = {9, 0, 0}};
  graph_.Output(graph_.Apply("pad", channels, {Norm(image_)}));
  EXPECT_THAT(Fuse(), ElementsAre("ChannelScale", "Padding"));
}

TEST_F(OperatorFusion, MakesScalesOfArithmeticWithConstants) {
  const TensorIndex scale = graph_.Constant("scale", {4, 1, 1}, {1, 2, 3, 4});
  const TensorIndex scaled = Two(BinaryKind::kDivide, Conv(image_), scale);
  graph_.Output(Two(BinaryKind::kSubtract, Number(3), scaled));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution"));
}

TEST_F(OperatorFusion, LeavesArithmeticWithOneNumberForEachColumn) {
  const TensorIndex scale = graph_.Constant("scale", {6}, {1, 2, 3, 4, 5, 6});
  graph_.Output(Two(BinaryKind::kMultiply, Conv(image_), scale));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Binary"));
}

TEST_F(OperatorFusion, LeavesDivisionOfAConstant) {
  graph_.Output(Two(BinaryKind::kDivide, Number(3), image_));
  EXPECT_THAT(FuseOperators(graph_.Take()).operators.size(), 1);
}

TEST_F(OperatorFusion, LeavesDivisionByZero) {
  graph_.Output(Two(BinaryKind::kDivide, image_, Number(0)));
  EXPECT_EQ(NameOf(FuseOperators(graph_.Take()).operators.at(0).body), "Binary");
}

TEST_F(OperatorFusion, LeavesWeightsThatOthersShare) {
  const Convolution body{.weights = Drawn({4, 4, 1, 1})};
  const std::vector<float> before = body.weights->values;
  graph_.Output(Norm(graph_.Apply("conv", body, {image_})));
  graph_.Output(graph_.Apply("conv", body, {image_}));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Convolution"));
  EXPECT_EQ(body.weights->values, before);
}

TEST_F(OperatorFusion, DoesNotFoldWhatSomethingElseReads) {
  const TensorIndex x = Conv(image_);
  graph_.Output(Norm(x));
  graph_.Output(graph_.Apply("pool", Pool{.window = {.kernel = {2, 2}}}, {x}));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "ChannelScale", "Pool"));
}

TEST_F(OperatorFusion, DoesNotFoldAnOutput) {
  const TensorIndex x = Conv(image_);
  graph_.Output(x);
  graph_.Output(Norm(x));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "ChannelScale"));
}

TEST_F(OperatorFusion, DoesNotFoldBehindAnActivation) {
  graph_.Output(Norm(Act(ActivationKind::kRelu, Conv(image_))));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution+relu", "ChannelScale"));
}

TEST_F(OperatorFusion, DoesNotFoldForwards) {
  graph_.Output(Conv(Norm(image_)));
  EXPECT_THAT(Fuse(), ElementsAre("ChannelScale", "Convolution"));
}

TEST_F(OperatorFusion, EvaluatesConstants) {
  const TensorIndex scale = Two(BinaryKind::kMultiply, Number(2), Number(3));
  graph_.Output(Two(BinaryKind::kMultiply, Conv(image_), Act(ActivationKind::kRelu, scale)));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution"));
}

TEST_F(OperatorFusion, AnOutputThatIsConstantIsStillComputed) {
  graph_.Output(Two(BinaryKind::kMultiply, Number(2), Number(3)));
  EXPECT_THAT(Fuse(), ElementsAre("Binary"));
}

// --- Padding.

TEST_F(OperatorFusion, PadsInsideTheConvolution) {
  graph_.Output(Conv(graph_.Apply("pad", ZerosAround(1, 2), {image_})));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution"));
}

TEST_F(OperatorFusion, CountsZerosInAverages) {
  const Pool body{PoolKind::kAverage, {.kernel = {3, 3}, .stride = {2, 2}}};
  graph_.Output(graph_.Apply("pool", body, {graph_.Apply("pad", ZerosAround(1, 2), {image_})}));
  EXPECT_THAT(Fuse(), ElementsAre("Pool"));
  EXPECT_EQ(BodyAt<Pool>(0).kind, PoolKind::kAveragePadding);
  EXPECT_THAT(BodyAt<Pool>(0).window.pad_after, ElementsAre(1, 2));  // as far as windows reach
}

TEST_F(OperatorFusion, DoesNotMixZerosWithPaddingThatIsNotCounted) {
  const Pool body{PoolKind::kAverage, {.kernel = {3, 3}, .pad_before = {1, 1}}};
  graph_.Output(graph_.Apply("pool", body, {graph_.Apply("pad", ZerosAround(1, 1), {image_})}));
  EXPECT_THAT(Fuse(), ElementsAre("Padding", "Pool"));
}

TEST_F(OperatorFusion, DoesNotHideZerosFromAMaximum) {
  const Pool body{PoolKind::kMax, {.kernel = {3, 3}}};
  graph_.Output(graph_.Apply("pool", body, {graph_.Apply("pad", ZerosAround(1, 1), {image_})}));
  EXPECT_THAT(Fuse(), ElementsAre("Padding", "Pool"));
}

TEST_F(OperatorFusion, LeavesOtherPadding) {
  Padding ones = ZerosAround(1, 1);
  ones.value = 1;
  Padding channels = ZerosAround(1, 1);
  channels.before[0] = 1;
  graph_.Output(Conv(graph_.Apply("ones", ones, {image_})));
  graph_.Output(Conv(graph_.Apply("channels", channels, {image_})));
  graph_.Output(Conv(graph_.Apply("cut", ZerosAround(-1, 1), {image_})));
  EXPECT_THAT(Fuse(), ElementsAre("Padding", "Convolution", "Padding", "Convolution", "Padding",
                                  "Convolution"));
}

TEST_F(OperatorFusion, DoesNotPadTransposedConvolutions) {
  const Convolution body{
      .window = {.kernel = {2, 2}}, .weights = Drawn({4, 3, 2, 2}), .transposed = true};
  graph_.Output(graph_.Apply("conv", body, {graph_.Apply("pad", ZerosAround(1, 1), {image_})}));
  EXPECT_THAT(Fuse(), ElementsAre("Padding", "Convolution"));
}

}  // namespace
}  // namespace fairlead
