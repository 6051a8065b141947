// The recipes on the host, against the reference: needs no GPU. Those that are cuDNN's are left to
// the tests of the processors.
#include "fairlead/execution/cuda/recipes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"

namespace fairlead {
namespace {

constexpr std::int64_t kBatch = 2;

at::Tensor OnHost(const TensorDims& sizes, const std::vector<float>& values,
                  at::MemoryFormat images) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  return sizes.size() == 4 ? tensor.contiguous(images) : tensor;
}

// A graph's tensors, as the reference computes them.
class ReferenceTensors {
 public:
  ReferenceTensors(const OperatorGraph& graph, std::uint64_t seed)
      : graph_(graph), values_(graph.tensors.size()) {
    const auto inputs = RandomInputs(graph, kBatch, seed);
    for (std::size_t i = 0; i < inputs.size(); ++i) values_[graph.inputs[i]] = inputs[i];
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      if (graph.tensors[i].constant == nullptr) continue;
      const std::vector<float>& one = graph.tensors[i].constant->values;
      for (std::int64_t sample = 0; sample < kBatch; ++sample)
        values_[i].insert(values_[i].end(), one.begin(), one.end());
    }
  }

  const std::vector<float>& Compute(const GraphOperator& op) {
    std::vector<float>& result = values_[op.output];
    for (std::int64_t sample = 0; sample < kBatch; ++sample) {
      std::vector<SampleView> reads;
      for (TensorIndex read : op.Reads()) {
        const std::size_t size = values_[read].size() / kBatch;
        reads.push_back(
            {graph_.tensors[read].dims,
             std::span(values_[read]).subspan(static_cast<std::size_t>(sample) * size, size)});
      }
      const auto values = ReferenceSample(op, reads, graph_.tensors[op.output].dims);
      result.insert(result.end(), values.begin(), values.end());
    }
    return result;
  }

  std::vector<at::Tensor> ReadsOf(const GraphOperator& op, at::MemoryFormat images) const {
    std::vector<at::Tensor> reads;
    for (TensorIndex read : op.Reads())
      reads.push_back(OnHost(WithBatch(kBatch, graph_.tensors[read].dims), values_[read], images));
    return reads;
  }

 private:
  const OperatorGraph& graph_;
  std::vector<std::vector<float>> values_;  // per tensor, for the whole batch
};

void ExpectNear(const at::Tensor& result, const std::vector<float>& expected,
                const std::string& what) {
  const at::Tensor values = result.contiguous();
  ASSERT_EQ(values.numel(), static_cast<std::int64_t>(expected.size())) << what;
  double largest = 1e-3;
  for (float value : expected) largest = std::max<double>(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(values.data_ptr<float>()[i], expected[i], 1e-5 * largest) << what << " at " << i;
}

class Recipes : public testing::TestWithParam<at::MemoryFormat> {
 protected:
  TorchSetting Setting() {
    return {.batch = kBatch,
            .numbers = at::TensorOptions(at::kFloat),
            .images = GetParam(),
            .upload = [](const WeightsPointer& weights) {
              return weights == nullptr ? at::Tensor()
                                        : OnHost(weights->dims, weights->values, GetParam());
            }};
  }

  // All recipes of an operator that the host can carry out.
  void Try(const OperatorGraph& graph, const GraphOperator& op, ReferenceTensors& reference,
           const std::string& where) {
    const auto recipes = TorchRecipesOf(graph, op, Setting());
    ASSERT_TRUE(recipes.has_value()) << where << op.name << ": " << recipes.error().message;
    const std::vector<float> expected = reference.Compute(op);
    for (const TorchRecipe& recipe : *recipes) {
      if (recipe.name.starts_with("cudnn")) continue;
      const std::vector<at::Tensor> reads = reference.ReadsOf(op, GetParam());
      const at::Tensor result = recipe.compute(reads);
      ASSERT_EQ(result.sizes(), at::IntArrayRef(WithBatch(kBatch, graph.tensors[op.output].dims)))
          << where << op.name << ": " << recipe.name;
      ExpectNear(result, expected, where + op.name + ": " + recipe.name);
      const std::vector<at::Tensor> fresh = reference.ReadsOf(op, GetParam());
      for (std::size_t i = 0; i < reads.size(); ++i)
        ASSERT_TRUE(reads[i].equal(fresh[i])) << recipe.name << " changes what it reads";
      tried_.insert(recipe.name.substr(0, recipe.name.find(',')));
    }
  }

  std::set<std::string> tried_;
};

TEST_P(Recipes, ComputeWhatTheReferenceDoes) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const OperatorGraph graph = FuseOperators(RandomGraph(seed, 24));
    ReferenceTensors reference(graph, seed);
    for (const GraphOperator& op : graph.operators)
      ASSERT_NO_FATAL_FAILURE(Try(graph, op, reference, "seed " + std::to_string(seed) + " "));
  }
  for (const char* name : {"conv2d", "addmm", "max_pool2d", "cat", "softmax"})
    EXPECT_TRUE(tried_.contains(name)) << name << " was never tried";
}

// One operator on an input, as the only one of a graph.
OperatorGraph OneOperator(OperatorBody body, TensorDims input, TensorDims output,
                          std::vector<PostOperation> then = {}) {
  OperatorGraph graph{.name = "one", .tensors = {{"in", input, {}}, {"out", output, {}}}};
  graph.operators = {
      {.name = "op", .body = std::move(body), .inputs = {0}, .output = 1, .then = std::move(then)}};
  graph.inputs = {0};
  graph.outputs = {1};
  return graph;
}

WeightsPointer WeightsOf(TensorDims dims) {
  Weights weights{.dims = dims, .values = {}};
  for (std::int64_t i = 0; i < ElementsOf(dims); ++i)
    weights.values.push_back(static_cast<float>(i * 37 % 19 - 9) / 16);
  return std::make_shared<const Weights>(std::move(weights));
}

TEST_P(Recipes, PadConvolutionsUnevenly) {
  const Convolution body{
      .window = {.kernel = {3, 2}, .stride = {2, 1}, .pad_before = {0, 1}, .pad_after = {1, 0}},
      .weights = WeightsOf({4, 3, 3, 2}),
      .bias = WeightsOf({4})};
  const OperatorGraph graph = OneOperator(body, {3, 8, 7}, {4, 4, 7}, {Activation{}});
  ReferenceTensors reference(graph, 1);
  Try(graph, graph.operators[0], reference, "");
}

TEST_P(Recipes, CutTransposedConvolutions) {
  for (const TensorDims& output :
       {TensorDims{4, 9, 9}, TensorDims{4, 10, 10}, TensorDims{4, 8, 7}}) {
    const Convolution body{.window = {.kernel = {3, 3}, .stride = {2, 2}, .pad_before = {1, 1}},
                           .groups = 2,
                           .weights = WeightsOf({6, 2, 3, 3}),
                           .bias = WeightsOf({4}),
                           .transposed = true};
    const OperatorGraph graph = OneOperator(body, {6, 5, 5}, output);
    ReferenceTensors reference(graph, 1);
    Try(graph, graph.operators[0], reference, "");
  }
}

TEST_P(Recipes, PoolOverUnevenPadding) {
  for (PoolKind kind : {PoolKind::kMax, PoolKind::kAverage, PoolKind::kAveragePadding}) {
    // Rounded up; padded only behind; by more than half a window.
    const std::vector<std::pair<ImageWindow, TensorDims>> cases = {
        {{.kernel = {3, 3}, .stride = {2, 2}, .pad_after = {1, 1}}, {2, 4, 4}},
        {{.kernel = {2, 2}, .pad_after = {1, 1}}, {2, 8, 8}},
        {{.kernel = {3, 3}, .pad_before = {2, 2}, .pad_after = {2, 2}}, {2, 10, 10}}};
    for (const auto& [window, output] : cases) {
      const OperatorGraph graph =
          OneOperator(Pool{.kind = kind, .window = window}, {2, 8, 8}, output);
      ReferenceTensors reference(graph, 1);
      Try(graph, graph.operators[0], reference, "");
    }
  }
}

TEST_P(Recipes, ResizeOnEveryGrid) {
  for (ResizeKind kind : {ResizeKind::kNearest, ResizeKind::kLinear}) {
    for (ResizeGrid grid :
         {ResizeGrid::kHalfPixel, ResizeGrid::kAlignCorners, ResizeGrid::kAsymmetric}) {
      for (ResizeRounding rounding : {ResizeRounding::kFloor, ResizeRounding::kCeil,
                                      ResizeRounding::kHalfDown, ResizeRounding::kHalfUp}) {
        const OperatorGraph graph = OneOperator(
            Resize{.kind = kind, .grid = grid, .rounding = rounding}, {3, 5, 8}, {3, 12, 6});
        ReferenceTensors reference(graph, 1);
        Try(graph, graph.operators[0], reference, "");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Recipes,
                         testing::Values(at::MemoryFormat::Contiguous,
                                         at::MemoryFormat::ChannelsLast),
                         [](const auto& format) {
                           return format.param == at::MemoryFormat::Contiguous ? "ChannelsFirst"
                                                                               : "ChannelsLast";
                         });

}  // namespace
}  // namespace fairlead
