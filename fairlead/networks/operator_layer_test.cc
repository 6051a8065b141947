#include "fairlead/networks/operator_layer.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

WeightsPointer WeightsOf(TensorDims dims) {
  auto weights = std::make_shared<Weights>();
  weights->values.resize(static_cast<std::size_t>(ElementsOf(dims)));
  weights->dims = std::move(dims);
  return weights;
}

// 6 channels of 10 x 8 pixels to 4 channels of 5 x 4, in two groups.
class OperatorLayerTest : public ::testing::Test {
 protected:
  OperatorGraph graph_{.name = "one", .tensors = {{"in", {6, 10, 8}}, {"out", {4, 5, 4}}}};
  Convolution convolution_{
      .window = {.kernel = {3, 1}, .stride = {2, 2}, .pad_before = {1, 0}, .pad_after = {1, 0}},
      .groups = 2,
      .weights = WeightsOf({4, 3, 3, 1})};

  std::optional<OperatorLayer> Layer(OperatorBody body, std::int64_t batch = 1) const {
    return LayerOf(graph_, {.name = "op", .body = std::move(body), .inputs = {0}, .output = 1},
                   batch);
  }
};

TEST_F(OperatorLayerTest, DescribesAConvolution) {
  EXPECT_EQ(Layer(convolution_, 5), (OperatorLayer{.n = 5,
                                                   .cin = 6,
                                                   .cout = 4,
                                                   .kh = 3,
                                                   .kw = 1,
                                                   .stride = 2,
                                                   .pad_h = 1,
                                                   .pad_w = 0,
                                                   .groups = 2,
                                                   .h = 10,
                                                   .w = 8}));
}

TEST_F(OperatorLayerTest, CountsWhatAConvolutionTouches) {
  const OperatorLayer layer = *Layer(convolution_, 5);
  EXPECT_EQ(layer.Inputs(), 5 * 6 * 10 * 8);
  EXPECT_EQ(layer.Weights(), 4 * 3 * 3 * 1);
  EXPECT_EQ(layer.Outputs(), 5 * 4 * 5 * 4);
  EXPECT_EQ(layer.Macs(), 5 * 4 * 5 * 4 * 9);
}

TEST_F(OperatorLayerTest, DescribesALinearLayer) {
  graph_.tensors = {{"in", {7, 30}}, {"out", {7, 20}}};
  EXPECT_EQ(Layer(Linear{.weights = WeightsOf({20, 30})}, 2),
            (OperatorLayer{.linear = true, .n = 14, .cin = 30, .cout = 20}));
}

TEST_F(OperatorLayerTest, CountsWhatALinearLayerTouches) {
  const OperatorLayer layer{.linear = true, .n = 14, .cin = 30, .cout = 20};
  EXPECT_EQ(layer.Inputs(), 14 * 30);
  EXPECT_EQ(layer.Weights(), 600);
  EXPECT_EQ(layer.Outputs(), 14 * 20);
  EXPECT_EQ(layer.Macs(), 14 * 600);
}

TEST_F(OperatorLayerTest, HasNothingForOtherOperators) { EXPECT_FALSE(Layer(Pool{}).has_value()); }

TEST_F(OperatorLayerTest, HasNothingForTransposedConvolutions) {
  convolution_.transposed = true;
  EXPECT_FALSE(Layer(convolution_).has_value());
}

TEST_F(OperatorLayerTest, HasNothingForDilatedConvolutions) {
  convolution_.window.dilation = {2, 1};
  EXPECT_FALSE(Layer(convolution_).has_value());
}

TEST_F(OperatorLayerTest, HasNothingForUnevenPadding) {
  convolution_.window.pad_after = {0, 0};
  EXPECT_FALSE(Layer(convolution_).has_value());
}

TEST_F(OperatorLayerTest, HasNothingForUnevenStrides) {
  convolution_.window.stride = {2, 1};
  EXPECT_FALSE(Layer(convolution_).has_value());
}

}  // namespace
}  // namespace fairlead
