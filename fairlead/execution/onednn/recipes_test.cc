// Every recipe of every operator, whether it is the fastest here or not, against the reference.
#include "fairlead/execution/onednn/recipes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "fairlead/execution/onednn/cpu_network.h"
#include "fairlead/execution/onednn/openmp_team.h"
#include "fairlead/execution/onednn/testing/sample_graphs.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"

namespace fairlead {
namespace {

struct Case {
  std::string name;
  OperatorGraph graph;

  friend void PrintTo(const Case& one, std::ostream* stream) { *stream << one.name; }
};

constexpr Activation kRelu{.kind = ActivationKind::kRelu};

// ---- The cases -----------------------------------------------------------------------------

struct ConvolutionShape {
  std::int64_t inputs = 16;
  std::int64_t outputs = 32;
  std::int64_t size = 9;
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t pad = 1;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  std::vector<PostOperation> then;
};

OperatorGraph ConvolutionGraph(const ConvolutionShape& shape) {
  const std::int64_t reach = (shape.kernel - 1) * shape.dilation + 1;
  const std::int64_t out = (shape.size + 2 * shape.pad - reach) / shape.stride + 1;
  Convolution convolution{
      .window = {.kernel = {shape.kernel, shape.kernel},
                 .stride = {shape.stride, shape.stride},
                 .dilation = {shape.dilation, shape.dilation},
                 .pad_before = {shape.pad, shape.pad},
                 .pad_after = {shape.pad, shape.pad}},
      .groups = shape.groups,
      .weights = SampleWeights(
          {shape.outputs, shape.inputs / shape.groups, shape.kernel, shape.kernel}, 1),
      .bias = shape.bias ? SampleWeights({shape.outputs}, 2) : nullptr};
  return SingleOperator(std::move(convolution), {{shape.inputs, shape.size, shape.size}},
                        {shape.outputs, out, out}, shape.then);
}

OperatorGraph TransposedGraph(std::int64_t groups) {
  Convolution convolution{
      .window = {.kernel = {3, 3}, .stride = {2, 2}, .pad_before = {1, 1}, .pad_after = {1, 1}},
      .groups = groups,
      .weights = SampleWeights({8, 12 / groups, 3, 3}, 1),
      .bias = SampleWeights({12}, 2),
      .transposed = true};
  return SingleOperator(std::move(convolution), {{8, 5, 5}}, {12, 9, 9}, {kRelu});
}

OperatorGraph PoolGraph(PoolKind kind, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                        std::int64_t channels) {
  const std::int64_t out = (11 + 2 * pad - kernel) / stride + 1;
  return SingleOperator(Pool{.kind = kind,
                             .window = {.kernel = {kernel, kernel},
                                        .stride = {stride, stride},
                                        .pad_before = {pad, pad},
                                        .pad_after = {pad, pad}}},
                        {{channels, 11, 11}}, {channels, out, out});
}

std::vector<Case> Convolutions() {
  using Posts = std::vector<PostOperation>;
  std::vector<Case> cases = {
      {"square", ConvolutionGraph({})},
      {"point", ConvolutionGraph({.inputs = 48, .kernel = 1, .pad = 0})},
      {"strided", ConvolutionGraph({.stride = 2})},
      {"strided_point", ConvolutionGraph({.kernel = 1, .stride = 2, .pad = 0})},
      {"dilated", ConvolutionGraph({.pad = 2, .dilation = 2})},
      {"five", ConvolutionGraph({.kernel = 5, .pad = 2})},
      {"without_bias", ConvolutionGraph({.bias = false})},
      {"odd_channels", ConvolutionGraph({.inputs = 13, .outputs = 21})},
      {"first_layer",
       ConvolutionGraph({.inputs = 3, .size = 15, .kernel = 7, .stride = 2, .pad = 3})},
      {"grouped", ConvolutionGraph({.inputs = 32, .groups = 2})},
      {"depthwise", ConvolutionGraph({.inputs = 32, .groups = 32})},
      {"depthwise_odd", ConvolutionGraph({.inputs = 20, .outputs = 20, .groups = 20})},
      {"one_pixel", ConvolutionGraph({.size = 1, .kernel = 1, .pad = 0})},
      {"beside_the_image", ConvolutionGraph({.inputs = 3, .outputs = 3, .kernel = 1, .pad = 2})},
      {"around_the_image",
       ConvolutionGraph(
           {.inputs = 3, .outputs = 3, .size = 3, .kernel = 2, .pad = 5, .dilation = 10})},
      {"beside_the_image_grouped", ConvolutionGraph({.inputs = 6,
                                                     .outputs = 4,
                                                     .kernel = 2,
                                                     .stride = 2,
                                                     .pad = 3,
                                                     .dilation = 2,
                                                     .groups = 2,
                                                     .bias = false,
                                                     .then = {kRelu}})},
      {"transposed", TransposedGraph(1)},
      {"transposed_grouped", TransposedGraph(2)}};
  const std::pair<const char*, Posts> posts[] = {
      {"relu", {kRelu}},
      {"add", {AddedTensor{}}},
      {"add_relu", {AddedTensor{}, kRelu}},
      {"silu_add", {Activation{.kind = ActivationKind::kSilu}, AddedTensor{}}},
      {"two_adds", {AddedTensor{}, kRelu, AddedTensor{}}},
      {"clip", {Activation{.kind = ActivationKind::kClip, .alpha = 0, .beta = 0.6F}}},
      {"hard_swish", {Activation{.kind = ActivationKind::kHardSwish}}},
      {"hard_sigmoid",
       {Activation{.kind = ActivationKind::kHardSigmoid, .alpha = 0.2F, .beta = 0.5F}}}};
  for (const auto& [name, then] : posts) {
    cases.push_back({fmt::format("{}_square", name), ConvolutionGraph({.then = then})});
    cases.push_back(
        {fmt::format("{}_point", name), ConvolutionGraph({.kernel = 1, .pad = 0, .then = then})});
    cases.push_back({fmt::format("{}_depthwise", name),
                     ConvolutionGraph({.outputs = 16, .groups = 16, .then = then})});
  }
  return cases;
}

std::vector<Case> Passes() {
  const TensorDims image = {20, 6, 7};
  std::vector<Case> cases = {
      {"max_pool", PoolGraph(PoolKind::kMax, 3, 2, 1, 32)},
      {"max_pool_odd", PoolGraph(PoolKind::kMax, 2, 2, 0, 19)},
      {"average_pool", PoolGraph(PoolKind::kAverage, 3, 1, 1, 32)},
      {"average_pool_padding", PoolGraph(PoolKind::kAveragePadding, 3, 1, 1, 20)},
      {"global_pool", PoolGraph(PoolKind::kAverage, 11, 1, 0, 48)},
      {"scale", SingleOperator(ChannelScale{SampleWeights({20}, 1), SampleWeights({20}, 2)},
                               {image}, image)},
      {"scale_relu", SingleOperator(ChannelScale{SampleWeights({20}, 1), SampleWeights({20}, 2)},
                                    {image}, image, {kRelu})},
      {"scale_vector",
       SingleOperator(ChannelScale{SampleWeights({20}, 1), SampleWeights({20}, 2)}, {{20}}, {20})},
      {"linear", SingleOperator(Linear{SampleWeights({33, 70}, 1), SampleWeights({33}, 2)}, {{70}},
                                {33}, {kRelu})},
      {"linear_rows", SingleOperator(Linear{SampleWeights({8, 12}, 1), nullptr}, {{5, 12}}, {5, 8},
                                     {AddedTensor{}})},
      {"softmax", SingleOperator(Softmax{.axis = 0}, {{50}}, {50})},
      {"softmax_channels", SingleOperator(Softmax{.axis = 0}, {image}, image)},
      {"log_softmax", SingleOperator(Softmax{.axis = 1, .logarithm = true}, {{4, 9}}, {4, 9})},
      {"local_response",
       SingleOperator(LocalResponseNorm{.alpha = 0.1F}, {{32, 5, 5}}, {32, 5, 5})},
      {"local_response_even",
       SingleOperator(LocalResponseNorm{.size = 4, .alpha = 0.1F}, {{20, 5, 5}}, {20, 5, 5})},
      {"linear_small", SingleOperator(Linear{SampleWeights({1, 6}, 1), nullptr}, {{7, 6}}, {7, 1})},
      {"single_numbers", SingleOperator(Binary{BinaryKind::kDivide}, {{}, {}}, {})},
      {"stretched", SingleOperator(Binary{BinaryKind::kSubtract}, {{7}, image}, image)},
      {"stretched_both",
       SingleOperator(Binary{BinaryKind::kMultiply}, {{20, 1, 7}, {6, 1}}, image)},
      {"gate", SingleOperator(Binary{BinaryKind::kMultiply}, {{20, 1, 1}, image}, image)},
      {"gate_behind", SingleOperator(Binary{BinaryKind::kMultiply}, {image, {20, 1, 1}}, image,
                                     {kRelu, AddedTensor{}})}};
  for (int kind = 0; kind <= static_cast<int>(BinaryKind::kMinimum); ++kind)
    cases.push_back({fmt::format("binary_{}", kind),
                     SingleOperator(Binary{static_cast<BinaryKind>(kind)}, {image, image}, image)});
  for (int kind = 0; kind <= static_cast<int>(ActivationKind::kLinear); ++kind) {
    const auto function = static_cast<ActivationKind>(kind);
    // Of what is never negative: exp of something else would do as well.
    const bool root = function == ActivationKind::kSqrt;
    const Activation before{.kind = root ? ActivationKind::kAbs : ActivationKind::kLinear,
                            .alpha = 1};
    cases.push_back({fmt::format("activation_{}", kind),
                     SingleOperator(before, {image}, image,
                                    {Activation{.kind = function, .alpha = 0.2F, .beta = 0.5F}})});
  }
  return cases;
}

std::vector<Case> Moves() {
  std::vector<Case> cases = {
      {"concatenation",
       SingleOperator(Concatenation{}, {{16, 4, 5}, {32, 4, 5}, {16, 4, 5}}, {64, 4, 5})},
      {"concatenation_odd", SingleOperator(Concatenation{}, {{3, 4, 5}, {10, 4, 5}}, {13, 4, 5})},
      {"concatenation_of_rows",
       SingleOperator(Concatenation{.axis = 1}, {{16, 4, 5}, {16, 2, 5}}, {16, 6, 5})},
      {"concatenation_of_vectors", SingleOperator(Concatenation{}, {{4}, {3}}, {7}, {kRelu})},
      {"slice",
       SingleOperator(Slice{.start = {2, 0, 4}, .step = {3, 1, -2}}, {{10, 4, 5}}, {3, 4, 3})},
      {"transposition", SingleOperator(Transposition{{2, 0, 1}}, {{10, 4, 5}}, {5, 10, 4})},
      {"reshape", SingleOperator(Reshape{}, {{16, 3, 2}}, {96})},
      {"reshape_relu", SingleOperator(Reshape{}, {{16, 3, 2}}, {4, 24}, {kRelu})},
      {"reduction_mean", SingleOperator(Reduction{.axes = {1, 2}}, {{9, 4, 5}}, {9, 1, 1})},
      {"reduction_sum", SingleOperator(Reduction{ReductionKind::kSum, {0}}, {{9, 4, 5}}, {4, 5})},
      {"reduction_max",
       SingleOperator(Reduction{ReductionKind::kMaximum, {2}}, {{9, 4, 5}}, {9, 4, 1})},
      {"padding", SingleOperator(Padding{{0, 1, -1}, {2, 0, 3}, 0.5F}, {{9, 4, 5}}, {11, 5, 7})}};
  for (auto kind : {ResizeKind::kNearest, ResizeKind::kLinear}) {
    for (auto grid : {ResizeGrid::kHalfPixel, ResizeGrid::kAlignCorners, ResizeGrid::kAsymmetric})
      cases.push_back({fmt::format("resize_{}_{}", static_cast<int>(kind), static_cast<int>(grid)),
                       SingleOperator(Resize{.kind = kind, .grid = grid}, {{5, 4, 6}}, {5, 9, 3})});
  }
  return cases;
}

// ---- The comparison ------------------------------------------------------------------------

std::shared_ptr<const CpuContext> Context() {
  SetTeamSize(1);
  dnnl::set_primitive_cache_capacity(0);
  auto context = std::make_shared<CpuContext>();
  context->engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
  context->stream = dnnl::stream(context->engine);
  return context;
}

double Difference(std::span<const float> got, const std::vector<float>& expected) {
  double largest = 0.1;
  double difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(got[i])) continue;  // roots of negative numbers
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    const double error = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    if (!(error <= difference)) difference = error;
  }
  return difference / largest;
}

// The names of the recipes that were tried.
std::vector<std::string> TryAll(const OperatorGraph& graph, std::size_t batch, InstructionCap cap) {
  const auto context = Context();
  const auto recipes = FindRecipes(context->engine, graph, batch, cap);
  EXPECT_TRUE(recipes.has_value()) << recipes.error().message;
  if (!recipes.has_value()) return {};
  const auto inputs = RandomInputs(graph, static_cast<std::int64_t>(batch), 7);
  const auto expected = ReferenceOutputs(graph, static_cast<std::int64_t>(batch), inputs);
  std::vector<std::string> names;
  const std::atomic<bool> never = false;
  for (std::size_t i = 0; i < recipes->lists[0]->size(); ++i) {
    const auto network = CpuNetwork::Make(context, graph, batch, *recipes, {i});
    EXPECT_TRUE(network.has_value()) << network.error().message;
    if (!network.has_value()) continue;
    const auto run = (*network)->NewRun();
    for (std::size_t k = 0; k < inputs.size(); ++k)
      std::ranges::copy(inputs[k], run->Input(k).data());
    run->RunLayers(0, 1, never);
    EXPECT_LT(Difference(run->Output(0), expected[0]), 1e-4) << (*network)->Implementation(0);
    names.push_back((*recipes->lists[0])[i].name);
  }
  return names;
}

class Recipes : public testing::TestWithParam<Case> {};

TEST_P(Recipes, AgreeWithTheReference) { TryAll(GetParam().graph, 1, InstructionCap::kNone); }

TEST_P(Recipes, AgreeWithTheReferenceInBatches) {
  TryAll(GetParam().graph, 3, InstructionCap::kNone);
}

TEST_P(Recipes, AgreeWithTheReferenceBelowACap) {
  TryAll(GetParam().graph, 2, InstructionCap::kAvx2);
}

std::string NameOfCase(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Convolution, Recipes, testing::ValuesIn(Convolutions()), NameOfCase);
INSTANTIATE_TEST_SUITE_P(Pass, Recipes, testing::ValuesIn(Passes()), NameOfCase);
INSTANTIATE_TEST_SUITE_P(Move, Recipes, testing::ValuesIn(Moves()), NameOfCase);

// One operator of a graph, alone.
OperatorGraph Alone(const OperatorGraph& graph, const GraphOperator& op) {
  std::vector<TensorDims> inputs;
  for (TensorIndex input : op.inputs) inputs.push_back(graph.tensors[input].dims);
  OperatorGraph alone = SingleOperator(op.body, inputs, graph.tensors[op.output].dims, op.then);
  alone.operators[0].name = op.name;
  return alone;
}

class RandomRecipes : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomRecipes, AgreeWithTheReference) {
  const OperatorGraph graph = FuseOperators(RandomGraph(GetParam(), 14));
  for (const GraphOperator& op : graph.operators) {
    const OperatorGraph alone = Alone(graph, op);
    const RecipeContext context{Context()->engine, alone, alone.operators[0]};
    SCOPED_TRACE(SignatureOf(context));
    TryAll(alone, 1, InstructionCap::kNone);
    TryAll(alone, 2, InstructionCap::kAvx2);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRecipes, testing::Range<std::uint64_t>(1, 9));
INSTANTIATE_TEST_SUITE_P(ManySeeds_slow, RandomRecipes, testing::Range<std::uint64_t>(100, 300));

// ---- What there is to choose from ----------------------------------------------------------

TEST(RecipesFor, OffersSeveralLayouts) {
  const auto context = Context();
  const OperatorGraph graph = ConvolutionGraph({});
  const auto recipes = FindRecipes(context->engine, graph, 1, InstructionCap::kNone);
  ASSERT_TRUE(recipes.has_value());
  EXPECT_GT(recipes->lists[0]->size(), 3U);
}

TEST(RecipesFor, StaysBelowTheCap) {
  for (const std::string& name : TryAll(ConvolutionGraph({}), 1, InstructionCap::kAvx2))
    EXPECT_THAT(name, testing::Not(testing::HasSubstr("avx512")));
}

TEST(RecipesFor, RefusesWhatItDoesNotKnowByName) {
  const auto context = Context();
  const OperatorGraph graph =
      SingleOperator(Convolution{.weights = SampleWeights({4, 4, 3, 3}, 1)}, {{4, 8}}, {4, 8});
  const auto recipes = FindRecipes(context->engine, graph, 1, InstructionCap::kNone);
  ASSERT_FALSE(recipes.has_value());
  EXPECT_THAT(recipes.error().message, testing::HasSubstr("operator 'op' (Convolution)"));
}

TEST(SignatureOf, TellsOperatorsWithDifferentRecipesApart) {
  const auto context = Context();
  std::vector<std::string> signatures;
  std::vector<Case> cases = Convolutions();
  std::ranges::move(Passes(), std::back_inserter(cases));
  std::ranges::move(Moves(), std::back_inserter(cases));
  for (const Case& one : cases)
    signatures.push_back(SignatureOf({context->engine, one.graph, one.graph.operators[0], 1}));
  std::ranges::sort(signatures);
  const auto twice = std::ranges::adjacent_find(signatures);
  EXPECT_EQ(twice, signatures.end()) << *twice;
}

}  // namespace
}  // namespace fairlead
