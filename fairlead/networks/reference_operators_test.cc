#include "fairlead/networks/reference_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fairlead/networks/graph_builder.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

struct TestInput {
  TensorDims dims;
  std::vector<float> values;
};

std::vector<float> Result(const OperatorBody& body, const std::vector<TestInput>& inputs,
                          const TensorDims& dims, std::vector<PostOperation> then = {}) {
  GraphOperator op{.name = "op", .body = body, .inputs = {}, .output = 0, .then = std::move(then)};
  std::size_t added = 0;
  for (const PostOperation& post : op.then)
    added += std::holds_alternative<AddedTensor>(post) ? 1U : 0U;
  std::vector<SampleView> reads;
  for (const TestInput& input : inputs) reads.push_back({input.dims, input.values});
  op.inputs.resize(inputs.size() - added);
  return ReferenceSample(op, reads, dims);
}

float Applied(ActivationKind kind, float x, float alpha = 0, float beta = 0) {
  return static_cast<float>(ReferenceValue({kind, alpha, beta}, static_cast<double>(x)));
}

const TestInput kThreeByThree{{1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}};

// --- Convolutions.

TEST(ReferenceConvolution, MultipliesAndAddsUpWindows) {
  const Convolution body{.window = {.kernel = {2, 2}},
                         .weights = MakeWeights({1, 1, 2, 2}, {1, 10, 100, 1000}),
                         .bias = MakeWeights({1}, {0.5F})};
  EXPECT_THAT(Result(body, {kThreeByThree}, {1, 2, 2}),
              ElementsAre(5421.5F, 6532.5F, 8754.5F, 9865.5F));
}

TEST(ReferenceConvolution, SeesZerosOutside) {
  const Convolution body{
      .window = {.kernel = {2, 2}, .stride = {2, 2}, .pad_before = {1, 0}, .pad_after = {0, 1}},
      .weights = MakeWeights({1, 1, 2, 2}, {1, 10, 100, 1000})};
  // Windows over rows (-, 0) and (1, 2), columns (0, 1) and (2, -).
  EXPECT_THAT(Result(body, {kThreeByThree}, {1, 2, 2}), ElementsAre(2100, 300, 8754, 906));
}

TEST(ReferenceConvolution, DilationSpreadsTheWindow) {
  const Convolution body{.window = {.kernel = {2, 2}, .dilation = {2, 2}},
                         .weights = MakeWeights({1, 1, 2, 2}, {1, 10, 100, 1000})};
  EXPECT_THAT(Result(body, {kThreeByThree}, {1, 1, 1}), ElementsAre(9731));
}

TEST(ReferenceConvolution, InputsAddUp) {
  const Convolution body{.weights = MakeWeights({2, 2, 1, 1}, {1, 10, 100, 1000})};
  EXPECT_THAT(Result(body, {{{2, 1, 2}, {1, 2, 3, 4}}}, {2, 1, 2}),
              ElementsAre(31, 42, 3100, 4200));
}

TEST(ReferenceConvolution, GroupsDoNotMix) {
  const Convolution body{.groups = 2, .weights = MakeWeights({4, 1, 1, 1}, {1, 10, 100, 1000})};
  EXPECT_THAT(Result(body, {{{2, 1, 1}, {3, 5}}}, {4, 1, 1}), ElementsAre(3, 30, 500, 5000));
}

TEST(ReferenceConvolution, TransposedSpreadsInputs) {
  const Convolution body{.window = {.kernel = {1, 2}, .stride = {1, 2}},
                         .weights = MakeWeights({1, 1, 1, 2}, {1, 10}),
                         .transposed = true};
  EXPECT_THAT(Result(body, {{{1, 1, 2}, {3, 5}}}, {1, 1, 4}), ElementsAre(3, 30, 5, 50));
}

TEST(ReferenceConvolution, TransposedOverlapsAddUpAndPaddingCutsOff) {
  const Convolution body{.window = {.kernel = {1, 3}, .pad_before = {0, 1}, .pad_after = {0, 1}},
                         .weights = MakeWeights({1, 1, 1, 3}, {1, 10, 100}),
                         .transposed = true};
  // 3 at 0..2 and 5 at 1..3: 3, 35, 350, 500; the ends are cut off.
  EXPECT_THAT(Result(body, {{{1, 1, 2}, {3, 5}}}, {1, 1, 2}), ElementsAre(35, 350));
}

TEST(ReferenceConvolution, TransposedWeightsHaveTheInputsFirst) {
  const Convolution body{
      .groups = 2, .weights = MakeWeights({2, 2, 1, 1}, {1, 10, 100, 1000}), .transposed = true};
  EXPECT_THAT(Result(body, {{{2, 1, 1}, {3, 5}}}, {4, 1, 1}), ElementsAre(3, 30, 500, 5000));
}

TEST(ReferenceLinear, WorksOnTheLastDimension) {
  const Linear body{MakeWeights({2, 3}, {1, 10, 100, 1, 1, 1}), MakeWeights({2}, {0, 0.5F})};
  EXPECT_THAT(Result(body, {{{2, 3}, {1, 2, 3, 4, 5, 6}}}, {2, 2}),
              ElementsAre(321, 6.5F, 654, 15.5F));
}

// --- Pools and norms.

TEST(ReferencePool, MaximumNeverTakesPadding) {
  const Pool body{PoolKind::kMax, {.kernel = {2, 2}, .stride = {2, 2}, .pad_before = {1, 1}}};
  EXPECT_THAT(Result(body, {{{1, 3, 3}, {-1, -2, -3, -4, -5, -6, -7, -8, -9}}}, {1, 2, 2}),
              ElementsAre(-1, -2, -4, -5));
}

TEST(ReferencePool, AverageIsOfWhatIsInside) {
  const Pool body{PoolKind::kAverage, {.kernel = {2, 2}, .stride = {2, 2}, .pad_before = {1, 1}}};
  EXPECT_THAT(Result(body, {kThreeByThree}, {1, 2, 2}), ElementsAre(1, 2.5F, 5.5F, 7));
}

TEST(ReferencePool, AverageMayCountPadding) {
  const Pool body{PoolKind::kAveragePadding,
                  {.kernel = {2, 2}, .stride = {2, 2}, .pad_before = {1, 1}}};
  EXPECT_THAT(Result(body, {kThreeByThree}, {1, 2, 2}), ElementsAre(0.25F, 1.25F, 2.75F, 7));
}

TEST(ReferenceLocalResponseNorm, LooksAtNeighbouringChannels) {
  const LocalResponseNorm body{.size = 2, .alpha = 2, .beta = 1, .bias = 1};
  // Sums of squares with the channel behind: 1 + 4, 4 + 9, 9.
  EXPECT_THAT(Result(body, {{{3, 1, 1}, {1, 2, 3}}}, {3, 1, 1}),
              ElementsAre(FloatEq(1.0F / 6), FloatEq(2.0F / 14), FloatEq(3.0F / 10)));
}

TEST(ReferenceSoftmax, AddsUpToOneAlongItsAxis) {
  const std::vector<float> result =
      Result(Softmax{.axis = 0}, {{{2, 2}, {0, 1, std::log(3.0F), 1}}}, {2, 2});
  EXPECT_THAT(result, ElementsAre(FloatEq(0.25F), FloatEq(0.5F), FloatEq(0.75F), FloatEq(0.5F)));
}

TEST(ReferenceSoftmax, LogarithmsOfSmallOnesAreExact) {
  EXPECT_THAT(Result(Softmax{.axis = 0, .logarithm = true}, {{{2}, {0, 1000}}}, {2}),
              ElementsAre(-1000, 0));
}

TEST(ReferenceReduction, GoesOverItsAxes) {
  const TestInput input{{2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}};
  EXPECT_THAT(Result(Reduction{ReductionKind::kMean, {1, 2}}, {input}, {2}),
              ElementsAre(2.5F, 6.5F));
  EXPECT_THAT(Result(Reduction{ReductionKind::kSum, {0}}, {input}, {1, 2, 2}),
              ElementsAre(6, 8, 10, 12));
  EXPECT_THAT(Result(Reduction{ReductionKind::kMaximum, {1}}, {input}, {2, 2}),
              ElementsAre(3, 4, 7, 8));
}

// --- Point by point.

TEST(ReferenceActivation, Values) {
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kRelu, -2), 0);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kRelu, 2), 2);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kLeakyRelu, -2, 0.1F), -0.2F);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kLeakyRelu, 2, 0.1F), 2);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kClip, 9, -1, 6), 6);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kClip, -9, -1, 6), -1);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kSigmoid, std::log(3.0F)), 0.75F);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kHardSigmoid, 1, 0.2F, 0.5F), 0.7F);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kHardSigmoid, 4, 0.2F, 0.5F), 1);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kHardSwish, 1), 4.0F / 6);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kHardSwish, -4), 0);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kHardSwish, 5), 5);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kSilu, std::log(3.0F)), 0.75F * std::log(3.0F));
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kTanh, std::log(2.0F)), 0.6F);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kElu, -std::log(2.0F), 3), -1.5F);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kElu, 2, 3), 2);
  EXPECT_NEAR(Applied(ActivationKind::kGelu, 1), 0.8413447F, 1e-6);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kExp, std::log(3.0F)), 3);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kSqrt, 9), 3);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kAbs, -3), 3);
  EXPECT_FLOAT_EQ(Applied(ActivationKind::kLinear, 3, 2, 1), 7);
}

TEST(ReferenceChannelScale, HasANumberForEachChannel) {
  const ChannelScale body{MakeWeights({2}, {2, 3}), MakeWeights({2}, {0, 1})};
  EXPECT_THAT(Result(body, {{{2, 1, 2}, {1, 2, 3, 4}}}, {2, 1, 2}), ElementsAre(2, 4, 10, 13));
}

TEST(ReferenceBinary, Kinds) {
  const std::vector<TestInput> inputs{{{1}, {6}}, {{1}, {2}}};
  const auto result = [&](BinaryKind kind) { return Result(Binary{kind}, inputs, {1})[0]; };
  EXPECT_EQ(result(BinaryKind::kAdd), 8);
  EXPECT_EQ(result(BinaryKind::kSubtract), 4);
  EXPECT_EQ(result(BinaryKind::kMultiply), 12);
  EXPECT_EQ(result(BinaryKind::kDivide), 3);
  EXPECT_EQ(result(BinaryKind::kMaximum), 6);
  EXPECT_EQ(result(BinaryKind::kMinimum), 2);
}

TEST(ReferenceBinary, StretchesOnesAndMissingDimensions) {
  const TestInput column{{2, 1}, {10, 20}};
  const TestInput row{{3}, {1, 2, 3}};
  EXPECT_THAT(Result(Binary{BinaryKind::kSubtract}, {column, row}, {2, 3}),
              ElementsAre(9, 8, 7, 19, 18, 17));
}

// --- Moves.

TEST(ReferenceConcatenation, PutsPartsSideBySide) {
  const TestInput a{{2, 1}, {1, 2}};
  const TestInput b{{2, 2}, {3, 4, 5, 6}};
  EXPECT_THAT(Result(Concatenation{1}, {a, b}, {2, 3}), ElementsAre(1, 3, 4, 2, 5, 6));
}

TEST(ReferenceSlice, StartsAndSteps) {
  EXPECT_THAT(Result(Slice{{0, 1, 0}, {1, 1, 2}}, {kThreeByThree}, {1, 2, 2}),
              ElementsAre(4, 6, 7, 9));
  EXPECT_THAT(Result(Slice{{2}, {-1}}, {{{3}, {1, 2, 3}}}, {3}), ElementsAre(3, 2, 1));
}

TEST(ReferenceTransposition, ResultAxesAreTheInputsInThisOrder) {
  const TestInput input{{1, 2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_THAT(Result(Transposition{{2, 0, 1}}, {input}, {3, 1, 2}), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(ReferenceReshape, KeepsTheOrder) {
  EXPECT_THAT(Result(Reshape{}, {{{2, 2}, {1, 2, 3, 4}}}, {4}), ElementsAre(1, 2, 3, 4));
}

TEST(ReferencePadding, SurroundsOrCutsOff) {
  EXPECT_THAT(Result(Padding{{1}, {2}, 7}, {{{2}, {1, 2}}}, {5}), ElementsAre(7, 1, 2, 7, 7));
  EXPECT_THAT(Result(Padding{{-1}, {1}, 7}, {{{2}, {1, 2}}}, {2}), ElementsAre(2, 7));
}

std::vector<float> Resized(const Resize& body, const std::vector<float>& line, std::int64_t size) {
  return Result(body, {{{1, 1, static_cast<std::int64_t>(line.size())}, line}}, {1, 1, size});
}

TEST(ReferenceResize, NearestOnEachGrid) {
  Resize body{ResizeKind::kNearest, ResizeGrid::kAsymmetric, ResizeRounding::kFloor};
  EXPECT_THAT(Resized(body, {1, 2}, 4), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(Resized(body, {1, 2, 3, 4}, 2), ElementsAre(1, 3));
  body.rounding = ResizeRounding::kCeil;
  EXPECT_THAT(Resized(body, {1, 2}, 4), ElementsAre(1, 2, 2, 2));
  body = {ResizeKind::kNearest, ResizeGrid::kHalfPixel, ResizeRounding::kHalfDown};
  EXPECT_THAT(Resized(body, {1, 2, 3, 4}, 2), ElementsAre(1, 3));  // at 0.5 and 2.5
  body.rounding = ResizeRounding::kHalfUp;
  EXPECT_THAT(Resized(body, {1, 2, 3, 4}, 2), ElementsAre(2, 4));
}

TEST(ReferenceResize, LinearOnEachGrid) {
  Resize body{.kind = ResizeKind::kLinear, .grid = ResizeGrid::kHalfPixel};
  EXPECT_THAT(Resized(body, {0, 4}, 4), ElementsAre(0, 1, 3, 4));
  body.grid = ResizeGrid::kAlignCorners;
  EXPECT_THAT(Resized(body, {0, 3}, 4), ElementsAre(0, 1, 2, 3));
  body.grid = ResizeGrid::kAsymmetric;
  EXPECT_THAT(Resized(body, {0, 4}, 4), ElementsAre(0, 2, 4, 4));
}

TEST(ReferenceResize, LinearInBothDirections) {
  const Resize body{.kind = ResizeKind::kLinear, .grid = ResizeGrid::kAlignCorners};
  EXPECT_THAT(Result(body, {{{1, 2, 2}, {0, 2, 4, 6}}}, {1, 3, 3}),
              ElementsAre(0, 1, 2, 2, 3, 4, 4, 5, 6));
}

// --- Post-operations and graphs.

TEST(ReferencePostOperations, HappenInOrder) {
  const Activation relu{ActivationKind::kRelu};
  const Activation twice{ActivationKind::kLinear, 2, 0};
  const std::vector<TestInput> reads{{{2}, {-3, 1}}, {{2}, {0, 0}}, {{2}, {-1, -5}}};
  const Binary sum{BinaryKind::kAdd};
  EXPECT_THAT(Result(sum, reads, {2}, {relu, AddedTensor{}, twice}), ElementsAre(-2, -8));
  EXPECT_THAT(Result(sum, reads, {2}, {AddedTensor{}, relu, twice}), ElementsAre(0, 0));
}

TEST(ReferenceOutputs, ComputesEachSampleByItself) {
  GraphBuilder graph;
  const TensorIndex x = graph.Input("x", {2});
  const TensorIndex offset = graph.Constant("offset", {2}, {10, 20});
  const TensorIndex sum = graph.Apply("sum", Binary{BinaryKind::kAdd}, {x, offset});
  graph.Output(graph.Apply("mean", Reduction{ReductionKind::kMean, {0}}, {sum}, {1}));
  graph.Output(sum);
  const auto outputs = ReferenceOutputs(graph.Take(), 2, {{1, 2, 3, 4}});
  EXPECT_THAT(outputs, ElementsAre(ElementsAre(16.5F, 18.5F), ElementsAre(11, 22, 13, 24)));
}

}  // namespace
}  // namespace fairlead
