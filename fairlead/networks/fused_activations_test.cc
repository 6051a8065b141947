// Activations, what is applied where it is computed, and shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/testing/fused_graph.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// --- Activations.

TEST_F(OperatorFusion, RecognisesSilu) {
  graph_.Output(Two(BinaryKind::kMultiply, Act(ActivationKind::kSigmoid, image_), image_));
  EXPECT_THAT(Fuse(), ElementsAre("silu"));
}

TEST_F(OperatorFusion, RecognisesSiluBehindAConvolution) {
  const TensorIndex x = Norm(Conv(image_));
  graph_.Output(Two(BinaryKind::kMultiply, x, Act(ActivationKind::kSigmoid, x)));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution+silu"));
}

TEST_F(OperatorFusion, AGateOfSomethingElseIsNoSilu) {
  const TensorIndex other = graph_.Input("other", {4, 5, 6});
  graph_.Output(Two(BinaryKind::kMultiply, Act(ActivationKind::kSigmoid, image_), other));
  EXPECT_THAT(Fuse(), ElementsAre("sigmoid", "Binary"));
}

TEST_F(OperatorFusion, RecognisesHardSwishFromHardSigmoid) {
  const TensorIndex gate = Act(ActivationKind::kHardSigmoid, image_, 1.0F / 6, 0.5F);
  graph_.Output(Two(BinaryKind::kMultiply, image_, gate));
  EXPECT_THAT(Fuse(), ElementsAre("hard swish"));
}

TEST_F(OperatorFusion, OtherHardSigmoidsMakeNoHardSwish) {
  const TensorIndex gate = Act(ActivationKind::kHardSigmoid, image_, 0.2F, 0.5F);
  graph_.Output(Two(BinaryKind::kMultiply, image_, gate));
  EXPECT_THAT(Fuse(), ElementsAre("hard sigmoid", "Binary"));
}

TEST_F(OperatorFusion, RecognisesHardSwishDividedLast) {
  const TensorIndex x = Conv(image_);
  const TensorIndex shifted = Two(BinaryKind::kAdd, x, Number(3));
  const TensorIndex clipped = Act(ActivationKind::kClip, shifted, 0, 6);
  const TensorIndex product = Two(BinaryKind::kMultiply, x, clipped);
  graph_.Output(Two(BinaryKind::kDivide, product, Number(6)));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution+hard swish"));
}

TEST_F(OperatorFusion, RecognisesHardSwishDividedFirst) {
  const TensorIndex shifted = Two(BinaryKind::kAdd, image_, Number(3));
  const TensorIndex clipped = Act(ActivationKind::kClip, shifted, 0, 6);
  const TensorIndex gate = Two(BinaryKind::kDivide, clipped, Number(6));
  graph_.Output(Two(BinaryKind::kMultiply, image_, gate));
  EXPECT_THAT(Fuse(), ElementsAre("hard swish"));
}

TEST_F(OperatorFusion, RecognisesHardSigmoid) {
  const TensorIndex shifted = Two(BinaryKind::kAdd, Conv(image_), Number(3));
  const TensorIndex clipped = Act(ActivationKind::kClip, shifted, 0, 6);
  graph_.Output(Two(BinaryKind::kMultiply, clipped, Number(1.0F / 6)));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution+hard sigmoid"));
}

TEST_F(OperatorFusion, RecognisesRelu) {
  graph_.Output(Act(ActivationKind::kClip, image_, 0, kInfinity));
  EXPECT_THAT(Fuse(), ElementsAre("relu"));
}

TEST_F(OperatorFusion, RecognisesClipsFromMinimaAndMaxima) {
  graph_.Output(Two(BinaryKind::kMinimum, Two(BinaryKind::kMaximum, image_, Number(0)), Number(6)));
  EXPECT_THAT(Fuse(), ElementsAre("clip"));
}

// --- Post-operations.

TEST_F(OperatorFusion, AppliesActivationsWhereTheirOperandIsComputed) {
  graph_.Output(Act(ActivationKind::kRelu, Conv(image_)));
  graph_.Output(Act(ActivationKind::kRelu, Norm(image_)));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution+relu", "ChannelScale+relu"));
}

TEST_F(OperatorFusion, PoolsCarryNothing) {
  const Pool body{.window = {.kernel = {2, 2}}};
  graph_.Output(Act(ActivationKind::kRelu, graph_.Apply("pool", body, {image_})));
  EXPECT_THAT(Fuse(), ElementsAre("Pool", "relu"));
}

TEST_F(OperatorFusion, TheLaterOfTwoAddsTheEarlier) {
  const TensorIndex first = Conv(image_);
  const TensorIndex second = Conv(image_);
  graph_.Output(Act(ActivationKind::kRelu, Two(BinaryKind::kAdd, first, second)));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Convolution+add+relu"));
}

TEST_F(OperatorFusion, AddsAroundABlock) {
  graph_.Output(Two(BinaryKind::kAdd, image_, Act(ActivationKind::kRelu, Conv(image_))));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution+relu+add"));
}

// The convolution runs before the pool has computed what is to be added.
TEST_F(OperatorFusion, DoesNotAddWhatIsNotThereYet) {
  const TensorIndex x = Conv(image_);
  const Pool body{.window = {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}}};
  graph_.Output(Two(BinaryKind::kAdd, x, graph_.Apply("pool", body, {image_})));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Pool", "Binary"));
}

TEST_F(OperatorFusion, DoesNotAddInPlaceOfWhatSomethingElseReads) {
  const TensorIndex x = Conv(image_);
  graph_.Output(Two(BinaryKind::kAdd, x, image_));
  graph_.Output(graph_.Apply("pool", Pool{.window = {.kernel = {2, 2}}}, {x}));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Binary", "Pool"));
}

TEST_F(OperatorFusion, DoesNotAddInPlaceOfAnOutput) {
  const TensorIndex x = Conv(image_);
  graph_.Output(x);
  graph_.Output(Two(BinaryKind::kAdd, x, image_));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Binary"));
}

TEST_F(OperatorFusion, DoesNotAddATensorToItself) {
  const TensorIndex x = Conv(image_);
  graph_.Output(Two(BinaryKind::kAdd, x, x));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Binary"));
}

TEST_F(OperatorFusion, DoesNotAddWhatIsStretched) {
  const TensorIndex x = Conv(image_);
  const TensorIndex mean =
      graph_.Apply("mean", Reduction{ReductionKind::kMean, {1, 2}}, {image_}, {4, 1, 1});
  const TensorIndex one = Conv(mean);
  graph_.Output(Two(BinaryKind::kAdd, x, one));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Pool", "Convolution", "Binary"));
}

TEST_F(OperatorFusion, GatesStayButCarry) {
  const TensorIndex mean =
      graph_.Apply("mean", Reduction{ReductionKind::kMean, {1, 2}}, {image_}, {4, 1, 1});
  const TensorIndex gate = Act(ActivationKind::kSigmoid, Conv(mean));
  graph_.Output(Act(ActivationKind::kRelu, Two(BinaryKind::kMultiply, image_, gate)));
  EXPECT_THAT(Fuse(), ElementsAre("Pool", "Convolution+sigmoid", "Binary+relu"));
}

TEST_F(OperatorFusion, DoesNotAddConstants) {
  const TensorIndex constant = graph_.Constant("constant", {4, 5, 6}, Drawn({4, 5, 6})->values);
  graph_.Output(Two(BinaryKind::kAdd, Conv(image_), constant));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Binary"));
}

// --- Shapes.

TEST_F(OperatorFusion, MeansOfImagesArePools) {
  graph_.Output(graph_.Apply("mean", Reduction{ReductionKind::kMean, {1, 2}}, {image_}, {4, 1, 1}));
  EXPECT_THAT(Fuse(), ElementsAre("Pool"));
}

TEST_F(OperatorFusion, MeansWithoutDimensionsArePoolsWithAReshape) {
  graph_.Output(graph_.Apply("mean", Reduction{ReductionKind::kMean, {2, 1}}, {image_}, {4}));
  EXPECT_THAT(Fuse(), ElementsAre("Pool", "Reshape"));
}

TEST_F(OperatorFusion, SumsAndOtherMeansStay) {
  graph_.Output(graph_.Apply("sum", Reduction{ReductionKind::kSum, {1, 2}}, {image_}, {4}));
  graph_.Output(graph_.Apply("mean", Reduction{ReductionKind::kMean, {2}}, {image_}, {4, 5}));
  EXPECT_THAT(Fuse(), ElementsAre("Reduction", "Reduction"));
}

TEST_F(OperatorFusion, ReshapesOfReshapesAreOne) {
  const TensorIndex matrix = graph_.Apply("matrix", Reshape{}, {image_}, {20, 6});
  graph_.Output(graph_.Apply("flat", Reshape{}, {matrix}, {120}));
  EXPECT_THAT(Fuse(), ElementsAre("Reshape"));
}

TEST_F(OperatorFusion, WhatChangesNothingGoes) {
  TensorIndex x = graph_.Apply("reshape", Reshape{}, {image_}, {4, 5, 6});
  x = graph_.Apply("slice", Slice{{0, 0, 0}, {1, 1, 1}}, {x}, {4, 5, 6});
  x = graph_.Apply("transpose", Transposition{{0, 1, 2}}, {x});
  x = graph_.Apply("concatenate", Concatenation{0}, {x});
  x = graph_.Apply("pad", ZerosAround(0, 0), {x});
  x = graph_.Apply("pool", Pool{PoolKind::kAverage, {}}, {x});
  x = Two(BinaryKind::kMultiply, x, Number(1));
  graph_.Output(Act(ActivationKind::kRelu, x));
  EXPECT_THAT(Fuse(), ElementsAre("relu"));
}

TEST_F(OperatorFusion, SwappingDimensionsOfOneIsAReshape) {
  const TensorIndex mean =
      graph_.Apply("mean", Reduction{ReductionKind::kMean, {0}}, {image_}, {1, 5, 6});
  graph_.Output(graph_.Apply("transpose", Transposition{{1, 0, 2}}, {mean}));
  EXPECT_THAT(Fuse(), ElementsAre("Reduction", "Reshape"));
}

TEST_F(OperatorFusion, AnOutputThatIsAnInputIsStillComputed) {
  graph_.Output(graph_.Apply("reshape", Reshape{}, {image_}, {4, 5, 6}));
  EXPECT_THAT(Fuse(), ElementsAre("Reshape"));
}

TEST_F(OperatorFusion, WhatNoOutputDependsOnGoes) {
  const TensorIndex x = Conv(image_);
  Norm(x);
  graph_.Output(Act(ActivationKind::kRelu, x));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution+relu"));
}

TEST_F(OperatorFusion, ConstantsThatNobodyReadsGo) {
  graph_.Output(Two(BinaryKind::kAdd, Conv(image_), Number(3)));
  Fuse();
  EXPECT_EQ(fused_.WeightCount(), 4 * 4 * 9 + 4);
}

TEST_F(OperatorFusion, NamesMayRepeat) {
  graph_.Output(Conv(Conv(Conv(image_))));
  EXPECT_THAT(Fuse(), ElementsAre("Convolution", "Convolution", "Convolution"));
}

// Anything worse than nearly linear in the number of operators would not come back.
TEST_F(OperatorFusion, LongChainsAreFused) {
  TensorIndex x = image_;
  for (int i = 0; i < 30'000; ++i) {
    x = Act(ActivationKind::kLinear, x, 1, 0.001F);
    x = graph_.Apply("reshape", Reshape{}, {x}, {i % 2 == 0 ? 20 : 4, i % 2 == 0 ? 6 : 30});
    x = Act(ActivationKind::kSigmoid, x);
    x = Two(BinaryKind::kMultiply, x, Act(ActivationKind::kSigmoid, x));
  }
  graph_.Output(x);
  EXPECT_EQ(FuseOperators(graph_.Take()).operators.size(), 30'000 * 4);
}

TEST(EmptyGraph, StaysEmpty) { EXPECT_THAT(FuseOperators({}).operators, IsEmpty()); }

}  // namespace
}  // namespace fairlead
