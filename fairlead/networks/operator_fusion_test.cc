#include "fairlead/networks/operator_fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "fairlead/base/random.h"
#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A graph for one test: one image in, what is said out.
class OperatorFusion : public ::testing::Test {
 protected:
  static WeightsPointer Drawn(const TensorDims& dims) {
    RandomStream random(ElementsOf(dims) + static_cast<std::int64_t>(dims.size()), "weights");
    std::vector<float> values(static_cast<std::size_t>(ElementsOf(dims)));
    for (float& value : values) value = static_cast<float>(random.Normal());
    return MakeWeights(dims, std::move(values));
  }

  TensorIndex Conv(TensorIndex x, std::int64_t outputs = 4, std::int64_t pad = 1) {
    return graph_.Apply(
        "conv",
        Convolution{.window = {.kernel = {3, 3}, .pad_before = {pad, pad}, .pad_after = {pad, pad}},
                    .weights = Drawn({outputs, graph_.dims(x)[0], 3, 3}),
                    .bias = Drawn({outputs})},
        {x});
  }
  TensorIndex Norm(TensorIndex x) {
    const std::int64_t channels = graph_.dims(x)[0];
    return graph_.Apply("norm", ChannelScale{Drawn({channels}), Drawn({channels, 1})}, {x});
  }
  TensorIndex Act(ActivationKind kind, TensorIndex x, float alpha = 0, float beta = 0) {
    return graph_.Apply("act", Activation{kind, alpha, beta}, {x});
  }
  TensorIndex Two(BinaryKind kind, TensorIndex a, TensorIndex b) {
    return graph_.Apply("two", Binary{kind}, {a, b});
  }
  TensorIndex Number(float value) { return graph_.Constant("number", {}, {value}); }

  // Fuses, checks that outputs are the same, and names the operators left: "Convolution+relu+add".
  std::vector<std::string> Fuse() {
    const OperatorGraph graph = graph_.Take();
    fused_ = FuseOperators(graph);
    const auto inputs = RandomInputs(graph, 2, 1);
    const auto expected = ReferenceOutputs(graph, 2, inputs);
    const auto computed = ReferenceOutputs(fused_, 2, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t j = 0; j < expected[i].size(); ++j)
        EXPECT_NEAR(computed[i][j], expected[i][j], 1e-4) << "output " << i << " at " << j;
    }
    std::vector<std::string> names;
    for (const GraphOperator& op : fused_.operators) names.push_back(Describe(op));
    return names;
  }

  static std::string Describe(const GraphOperator& op) {
    std::string text(NameOf(op.body));
    if (const auto* activation = std::get_if<Activation>(&op.body))
      text = Describe(activation->kind);
    for (const PostOperation& post : op.then) {
      const auto* activation = std::get_if<Activation>(&post);
      text += "+" + (activation == nullptr ? "add" : Describe(activation->kind));
    }
    return text;
  }

  static std::string Describe(ActivationKind kind) {
    switch (kind) {
      case ActivationKind::kRelu: return "relu";
      case ActivationKind::kClip: return "clip";
      case ActivationKind::kSigmoid: return "sigmoid";
      case ActivationKind::kHardSigmoid: return "hard sigmoid";
      case ActivationKind::kHardSwish: return "hard swish";
      case ActivationKind::kSilu: return "silu";
      case ActivationKind::kLinear: return "line";
      default: return "other";
    }
  }

  template <typename Body>
  const Body& BodyAt(std::size_t index) const {
    return std::get<Body>(fused_.operators.at(index).body);
  }

  GraphBuilder graph_;
  TensorIndex image_ = graph_.Input("image", {4, 5, 6});
  OperatorGraph fused_;
};

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

Padding ZerosAround(std::int64_t before, std::int64_t after) {
  return {.before = {0, before, before}, .after = {0, after, after}};
}

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
