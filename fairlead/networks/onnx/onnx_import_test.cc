#include "fairlead/networks/onnx/onnx_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/networks/onnx/testing/imported_layers.h"
#include "fairlead/networks/onnx/testing/test_model.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ImportOnnx, NamesTheNetworkAfterTheFile) {
  const ImportedNetwork imported = ImportLayers(AfterConvolution().Output("c"));
  EXPECT_EQ(imported.network.name, "net");
  EXPECT_EQ(imported.network.description, "imported from some/net.onnx");
  EXPECT_EQ(imported.network.input, "3x8x8");
  EXPECT_EQ(imported.network.layers[0].name, "c");
  EXPECT_THAT(imported.warnings, IsEmpty());
}

TEST(ImportOnnx, AConvolutionHasItsShape) {
  TestModel model({1, 4, 9, 8});
  model.Weights("w", {6, 2, 3, 1}).Weights("b", {6});
  model.Node("Conv", {"x", "w", "b"}, "y",
             {{"strides", {2, 2}}, {"pads", {1, 0, 1, 1}}, {"group", {2}}});
  const auto layers = Layers(model.Output("y"));
  ASSERT_THAT(layers, SizeIs(1));
  EXPECT_EQ(layers[0].shape,
            (LayerShape{.k = 6, .c = 4, .p = 5, .q = 5, .r = 3, .s = 1, .stride = 2, .groups = 2}));
  EXPECT_EQ(layers[0].parameters, 6 * 2 * 3 + 6);
}

TEST(ImportOnnx, GroupsOfOneInputAreDepthwise) {
  TestModel model({1, 4, 9, 9});
  model.Weights("w", {8, 1, 3, 3}).Node("Conv", {"x", "w"}, "y", {{"group", {4}}});
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("depthwise 8x7x7"));
}

TEST(ImportOnnx, PadsAsAsked) {
  TestModel model({1, 3, 9, 9});
  model.Weights("w", {4, 3, 3, 3}).Node("Conv", {"x", "w"}, "y", {{"strides", {2, 2}}});
  auto& attribute = *model.graph().mutable_node(0)->add_attribute();
  attribute.set_name("auto_pad");
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s("SAME_UPPER");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("conv 4x5x5"));
}

// Fusion.

TEST(ImportOnnx, AbsorbsABatchNormAndAnActivation) {
  TestModel model = AfterConvolution();
  for (const char* name : {"scale", "bias", "mean", "variance"}) model.Weights(name, {4});
  model.Node("BatchNormalization", {"c", "scale", "bias", "mean", "variance"}, "b");
  const auto layers = Layers(model.Node("Relu", {"b"}, "y").Output("y"));
  ASSERT_THAT(layers, SizeIs(1));
  EXPECT_EQ(layers[0].parameters, 4 * 3 * 9 + 2 * 4);
}

TEST(ImportOnnx, AbsorbsEveryActivation) {
  for (const char* type : {"Clip", "LeakyRelu", "HardSwish", "Tanh", "Sigmoid", "Elu"}) {
    EXPECT_THAT(Summary(AfterConvolution().Node(type, {"c"}, "y").Output("y")),
                ElementsAre("conv 4x6x6"))
        << type;
  }
}

TEST(ImportOnnx, AbsorbsXTimesSigmoidOfX) {
  TestModel model = AfterConvolution();
  model.Node("Sigmoid", {"c"}, "s").Node("Mul", {"c", "s"}, "y");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("conv 4x6x6"));
}

TEST(ImportOnnx, CountsTheSlopesOfPRelu) {
  TestModel model = AfterConvolution();
  model.Weights("slope", {4, 1, 1}).Node("PRelu", {"c", "slope"}, "y");
  EXPECT_EQ(Layers(model.Output("y"))[0].parameters, 4 * 3 * 9 + 4);
}

TEST(ImportOnnx, AbsorbsNothingPastWhatOthersRead) {
  TestModel model = AfterConvolution();
  model.Node("Relu", {"c"}, "r").Node("Add", {"r", "c"}, "y");
  // Both work on the convolution's result alone, so they are absorbed together.
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("conv 4x6x6"));
  model.Node("MaxPool", {"c"}, "p", {{"kernel_shape", {2, 2}}});
  EXPECT_THAT(Summary(model.Output("p")),
              ElementsAre("conv 4x6x6", "elementwise 4x6x6", "pool 4x5x5"));
}

TEST(ImportOnnx, AbsorbsUpToWhatOthersRead) {
  TestModel model = AfterConvolution();
  model.Node("Tanh", {"c"}, "t").Node("Relu", {"t"}, "r");
  EXPECT_THAT(Summary(model.Output("t").Output("r")),
              ElementsAre("conv 4x6x6", "elementwise 4x6x6"));
}

TEST(ImportOnnx, ABatchNormBehindAConcatenationIsALayer) {
  TestModel model = AfterConvolution();
  model.Node("Relu", {"c"}, "r").Node("Concat", {"r", "r"}, "d", {{"axis", {1}}});
  for (const char* name : {"scale", "bias", "mean", "variance"}) model.Weights(name, {8});
  model.Node("BatchNormalization", {"d", "scale", "bias", "mean", "variance"}, "b");
  const auto layers = Layers(model.Node("Relu", {"b"}, "y").Output("y"));
  ASSERT_THAT(layers, SizeIs(2));
  EXPECT_EQ(layers[1].shape, (LayerShape{.kind = LayerKind::kElementwise,
                                         .k = 8,
                                         .p = 6,
                                         .q = 6,
                                         .operands = std::int64_t{8} * 6 * 6}));
  EXPECT_EQ(layers[1].parameters, 2 * 8);
  EXPECT_THAT(layers[1].after, ElementsAre(0));
}

TEST(ImportOnnx, AnAdditionIsALayerWithItsActivation) {
  TestModel model = AfterConvolution();
  model.Node("Conv", {"x", "w"}, "d").Node("Add", {"c", "d"}, "a").Node("Relu", {"a"}, "y");
  const auto layers = Layers(model.Output("y"));
  ASSERT_THAT(layers, SizeIs(3));
  EXPECT_EQ(layers[2].shape.kind, LayerKind::kElementwise);
  EXPECT_EQ(layers[2].shape.operands, 2 * 4 * 6 * 6);
  EXPECT_THAT(layers[2].after, ElementsAre(0, 1));
}

TEST(ImportOnnx, SharedWeightsCountOnce) {
  TestModel model = AfterConvolution();
  model.Node("Conv", {"x", "w"}, "d").Node("Add", {"c", "d"}, "y");
  EXPECT_EQ(ImportLayers(model.Output("y")).network.Parameters(), 4 * 3 * 9);
}

// Linear layers.

TEST(ImportOnnx, GemmIsLinear) {
  TestModel model({0, 20});
  model.Weights("w", {10, 20}).Weights("b", {10});
  model.Node("Gemm", {"x", "w", "b"}, "y", {{"transB", {1}}});
  const auto layers = Layers(model.Output("y"));
  EXPECT_EQ(layers[0].shape, (LayerShape{.kind = LayerKind::kLinear, .k = 10, .c = 20}));
  EXPECT_EQ(layers[0].parameters, 210);
}

TEST(ImportOnnx, MatMulAndABiasAreLinear) {
  TestModel model({0, 7, 20});
  model.Weights("w", {20, 10}).Weights("b", {10});
  model.Node("MatMul", {"x", "w"}, "m").Node("Add", {"b", "m"}, "y");
  const auto layers = Layers(model.Output("y"));
  ASSERT_THAT(layers, SizeIs(1));
  EXPECT_EQ(layers[0].shape, (LayerShape{.kind = LayerKind::kLinear, .k = 10, .c = 20, .p = 7}));
  EXPECT_EQ(layers[0].parameters, 210);
}

TEST(ImportOnnx, ProductsOfResultsHaveNoParameters) {
  TestModel model({1, 4, 7, 5});
  model.Node("Transpose", {"x"}, "t", {{"perm", {0, 1, 3, 2}}}).Node("MatMul", {"x", "t"}, "y");
  const auto layers = Layers(model.Output("y"));
  ASSERT_THAT(layers, SizeIs(2));
  EXPECT_EQ(layers[1].shape.Macs(), 4 * 7 * 5 * 7);
  EXPECT_EQ(layers[1].shape.Inputs(), 4 * 7 * 5);
  EXPECT_EQ(layers[1].parameters, 0);
}

// Pools.

TEST(ImportOnnx, APoolReadsItsInputWithoutPadding) {
  TestModel model({1, 3, 8, 8});
  model.Integers("pads", {0, 0, 1, 1, 0, 0, 1, 1}).Node("Pad", {"x", "pads"}, "p");
  model.Node("AveragePool", {"p"}, "y", {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}});
  EXPECT_EQ(Layers(model.Output("y"))[0].shape, (LayerShape{.kind = LayerKind::kPool,
                                                            .k = 3,
                                                            .p = 4,
                                                            .q = 4,
                                                            .r = 3,
                                                            .s = 3,
                                                            .stride = 2,
                                                            .operands = std::int64_t{3} * 8 * 8}));
}

TEST(ImportOnnx, PaddingForOthersIsACopy) {
  TestModel model({1, 3, 8, 8});
  model.Integers("pads", {0, 0, 1, 1, 0, 0, 1, 1}).Node("Pad", {"x", "pads"}, "y");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("shuffle 3x10x10"));
}

TEST(ImportOnnx, GlobalPoolsAndMeansAreTheSame) {
  TestModel pool({1, 3, 8, 6});
  pool.Node("GlobalAveragePool", {"x"}, "y").Output("y");
  TestModel mean({1, 3, 8, 6});
  mean.Node("ReduceMean", {"x"}, "y", {{"axes", {2, 3}}, {"keepdims", {0}}}).Output("y");
  EXPECT_EQ(Layers(pool)[0].shape, Layers(mean)[0].shape);
  EXPECT_EQ(Layers(pool)[0].shape.Operations(), 3 * 8 * 6);
}

TEST(ImportOnnx, AxesMayBeAnInput) {
  TestModel model({1, 3, 8, 6}, 18);
  model.Integers("axes", {-1, -2}).Node("ReduceMean", {"x", "axes"}, "y");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("pool 3x1x1"));
}

TEST(ImportOnnx, APoolOfOnePointIsFree) {
  TestModel model = AfterConvolution();
  model.Node("AveragePool", {"c"}, "y", {{"kernel_shape", {1, 1}}});
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("conv 4x6x6"));
}

// Moving data.

TEST(ImportOnnx, ViewsAreFree) {
  TestModel model = AfterConvolution();
  model.Node("Split", {"c"}, "s", {{"axis", {1}}});
  model.graph().mutable_node(1)->add_output("s2");
  model.Node("Concat", {"s2", "s"}, "d", {{"axis", {1}}}).Node("Flatten", {"d"}, "f");
  model.Integers("to", {1, 36, 4}).Node("Reshape", {"f", "to"}, "y");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("conv 4x6x6"));
}

TEST(ImportOnnx, AChannelShuffleIsOneLayer) {
  TestModel model({0, 4, 8, 8});
  model.Integers("to", {0, 2, 2, 8, 8}).Integers("back", {0, -1, 8, 8});
  model.Node("Reshape", {"x", "to"}, "a")
      .Node("Transpose", {"a"}, "b", {{"perm", {0, 2, 1, 3, 4}}});
  model.Node("Reshape", {"b", "back"}, "y");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("shuffle 4x8x8"));
}

TEST(ImportOnnx, TransposingDimensionsOfOneIsFree) {
  TestModel model = AfterConvolution();
  model.Node("GlobalMaxPool", {"c"}, "p").Node("Transpose", {"p"}, "y", {{"perm", {0, 2, 3, 1}}});
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("conv 4x6x6", "pool 4x1x1"));
}

TEST(ImportOnnx, ResizesByItsSizes) {
  TestModel model({1, 3, 8, 8});
  model.Integers("sizes", {1, 3, 16, 24}).Node("Resize", {"x", "", "", "sizes"}, "y");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("resize 3x16x24"));
}

TEST(ImportOnnx, NormalisationsAreLayers) {
  TestModel model({1, 10});
  EXPECT_THAT(Summary(model.Node("Softmax", {"x"}, "y").Output("y")),
              ElementsAre("normalisation 10x1x1"));
}

TEST(ImportOnnx, ATransposedConvolutionMultipliesForEachInput) {
  TestModel model({1, 3, 8, 8});
  model.Weights("w", {3, 5, 4, 4});
  model.Node("ConvTranspose", {"x", "w"}, "y", {{"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}});
  const auto layers = Layers(model.Output("y"));
  EXPECT_EQ(layers[0].shape.Macs(), 8 * 8 * 3 * 5 * 4 * 4);
  EXPECT_EQ(layers[0].shape.Outputs(), 5 * 16 * 16);
  EXPECT_EQ(layers[0].parameters, 3 * 5 * 4 * 4);
}

}  // namespace
}  // namespace fairlead
