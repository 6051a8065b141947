#include "fairlead/networks/onnx/onnx_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "fairlead/networks/onnx/test_model.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ImportedNetwork Import(const TestModel& model) {
  auto imported = ImportOnnx("some/net.onnx", model.Bytes());
  if (!imported.has_value()) throw std::runtime_error(imported.error().message);
  return std::move(*imported);
}

std::vector<NetworkLayer> Layers(const TestModel& model) { return Import(model).network.layers; }

// "conv 4x6x6" for each layer: its kind and output.
std::vector<std::string> Summary(const TestModel& model) {
  std::vector<std::string> lines;
  for (const NetworkLayer& layer : Layers(model)) {
    lines.push_back(fmt::format("{} {}x{}x{}", Name(layer.shape.kind), layer.shape.k, layer.shape.p,
                                layer.shape.q));
  }
  return lines;
}

// x of 3x8x8, and the result "c" of a convolution with 4 outputs of 6x6.
TestModel AfterConvolution() {
  TestModel model({1, 3, 8, 8});
  model.Weights("w", {4, 3, 3, 3}).Node("Conv", {"x", "w"}, "c");
  return model;
}

TEST(ImportOnnx, NamesTheNetworkAfterTheFile) {
  const ImportedNetwork imported = Import(AfterConvolution().Output("c"));
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
  EXPECT_EQ(Import(model.Output("y")).network.Parameters(), 4 * 3 * 9);
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

// What surrounds the layers.

TEST(ImportOnnx, ShapesAreComputed) {
  TestModel model({0, 4, 8, 8});
  model.Integers("zero", {0}).Integers("rest", {-1});
  model.Node("Shape", {"x"}, "s").Node("Gather", {"s", "zero"}, "n");
  model.Node("Concat", {"n", "rest"}, "to", {{"axis", {0}}}).Node("Reshape", {"x", "to"}, "f");
  model.Weights("w", {256, 10}).Node("Gemm", {"f", "w"}, "y");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("linear 10x1x1"));
}

// As PyTorch writes F.pad(x, [1, 2, 3, 4]): the pads reversed, by pairs.
TEST(ImportOnnx, PadsAreComputed) {
  TestModel model({0, 4, 8, 8});
  model.Integers("some", {1, 2, 3, 4}).Integers("four", {4}).Integers("pairs", {-1, 2});
  model.Integers("last", {-1}).Integers("before", {INT64_MIN}).Integers("all", {-1});
  model.Integers("zero", {0});
  model.Node("ConstantOfShape", {"four"}, "zeros").Node("Cast", {"zeros"}, "z", {{"to", {7}}});
  model.Node("Concat", {"some", "z"}, "a", {{"axis", {0}}}).Node("Reshape", {"a", "pairs"}, "b");
  model.Node("Slice", {"b", "last", "before", "zero", "last"}, "c");
  model.Node("Transpose", {"c"}, "d", {{"perm", {1, 0}}}).Node("Reshape", {"d", "all"}, "pads");
  model.Node("Pad", {"x", "pads"}, "y");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("shuffle 4x15x11"));
}

TEST(ImportOnnx, ShapesMayBeChosen) {
  TestModel model({0, 4, 8, 8});
  model.Integers("to", {-1, 256}).Integers("ones", {1, 1}).Integers("minus", {-1});
  model.Node("Equal", {"to", "minus"}, "e").Node("Where", {"e", "ones", "to"}, "s");
  model.Node("Reshape", {"x", "s"}, "f").Node("Softmax", {"f"}, "y");
  EXPECT_THAT(Summary(model.Output("y")), ElementsAre("normalisation 256x1x1"));
}

// A slice, a gather and the like, each by the size of what a softmax over it writes.
struct Moved {
  std::string type;
  Dims numbers;  // its second input
  std::vector<TestAttribute> attributes;
  std::string expected;
};

TEST(ImportOnnx, FollowsWhatIsMoved) {
  const std::vector<Moved> cases = {
      {"Unsqueeze", {0, 5}, {}, "normalisation 12x8x1"},
      {"Squeeze", {0}, {}, "normalisation 3x4x8"},
      {"Gather", {3, 3, 3}, {{"axis", {1}}}, "normalisation 3x4x8"},
      {"Tile", {1, 2, 1, 3}, {}, "normalisation 6x4x24"},
      {"Expand", {2, 1, 1, 1}, {}, "normalisation 6x4x8"},
      {"Pad", {0, 0, 1, 0, 0, 0, 1, -2}, {}, "normalisation 3x6x6"},
      {"SpaceToDepth", {}, {{"blocksize", {2}}}, "normalisation 12x2x4"},
      {"ReduceMax", {}, {{"axes", {1, 2}}, {"keepdims", {0}}}, "normalisation 8x1x1"},
  };
  for (const Moved& moved : cases) {
    TestModel model({1, 3, 4, 8});
    std::vector<std::string> inputs = {"x"};
    if (!moved.numbers.empty()) {
      model.Integers("numbers", moved.numbers);
      inputs.emplace_back("numbers");
    }
    model.Node(moved.type, inputs, "m", moved.attributes).Node("Softmax", {"m"}, "y").Output("y");
    EXPECT_EQ(Summary(model).back(), moved.expected) << moved.type;
  }
}

TEST(ImportOnnx, WhatNoOutputNeedsIsLeftOut) {
  TestModel model = AfterConvolution();
  model.Node("Softmax", {"c"}, "unused");
  EXPECT_THAT(Summary(model.Output("c")), ElementsAre("conv 4x6x6"));
}

TEST(ImportOnnx, WeightsMayBeInputs) {
  TestModel model({0, 3, 8, 8});
  model.AddInput("w", {4, 3, 3, 3}).Node("Conv", {"x", "w"}, "y");
  const ImportedNetwork imported = Import(model.Output("y"));
  EXPECT_EQ(imported.network.input, "3x8x8");
  EXPECT_EQ(imported.network.Parameters(), 108);
}

TEST(ImportOnnx, AFixedBatchIsKept) {
  TestModel model({8, 3, 8, 8});
  model.Weights("w", {4, 3, 3, 3}).Node("Conv", {"x", "w"}, "c").Node("Softmax", {"c"}, "y");
  const ImportedNetwork imported = Import(model.Output("y"));
  EXPECT_THAT(imported.warnings, ElementsAre(HasSubstr("for 8 inputs at once")));
  EXPECT_EQ(imported.network.layers[0].shape.n, 8);
  EXPECT_EQ(imported.network.layers[1].shape.operands, 4 * 6 * 6);
  EXPECT_EQ(imported.network.Activations(), 2 * 4 * 6 * 6);
}

TEST(ImportOnnx, UnknownOperatorsCostWhatTheyReadAndWrite) {
  TestModel model = AfterConvolution();
  model.Integers("k", {2}).Node("TopK", {"c", "k"}, "y");
  model.graph().mutable_node(1)->add_output("indices");
  for (const char* name : {"y", "indices"}) model.Output(name, {1, 4, 6, 2});
  const ImportedNetwork imported = Import(model);
  EXPECT_THAT(
      imported.warnings,
      ElementsAre("operator 'TopK' is not known: costs what it reads and writes (1 time: y)"));
  const LayerShape& shape = imported.network.layers[1].shape;
  EXPECT_EQ(shape.kind, LayerKind::kOther);
  EXPECT_EQ(shape.Inputs(), 4 * 6 * 6 + 1);
  EXPECT_EQ(shape.Outputs(), 2 * 4 * 6 * 2);  // values and where they were
}

TEST(ImportOnnx, UnknownDimensionsAreTakenFromTheInput) {
  TestModel model = AfterConvolution();
  model.Node("Relu", {"c"}, "y");
  model.graph().mutable_node(1)->set_domain("com.example");
  const ImportedNetwork imported = Import(model.Output("y"));
  EXPECT_THAT(
      imported.warnings,
      ElementsAre(HasSubstr("operator 'Relu' is not known"),
                  "dimensions of Relu's result are not known: taken as its input's (1 time: "
                  "y)"));
  EXPECT_THAT(Summary(model), ElementsAre("conv 4x6x6", "other 4x6x6"));
}

TEST(ImportOnnx, WarnsOfWhatTheShapeCannotSay) {
  TestModel model({1, 3, 9, 9});
  model.Weights("w", {4, 3, 3, 3});
  model.Node("Conv", {"x", "w"}, "y", {{"strides", {2, 1}}, {"dilations", {2, 2}}});
  const ImportedNetwork imported = Import(model.Output("y"));
  EXPECT_THAT(imported.warnings, ElementsAre(HasSubstr("dilation"), HasSubstr("strides 2x1")));
  EXPECT_EQ(imported.network.layers[0].shape.p, 3);
  EXPECT_EQ(imported.network.layers[0].shape.q, 5);
}

TEST(ImportOnnx, NamesAreDistinctAndPrintable) {
  TestModel model = AfterConvolution();
  model.Node("Softmax", {"c"}, "s").Node("Softmax", {"s"}, "t");
  model.graph().mutable_node(1)->set_name("a,\n");
  model.graph().mutable_node(2)->set_name("a__");
  const auto layers = Layers(model.Output("t"));
  EXPECT_EQ(layers[1].name, "a__");
  EXPECT_EQ(layers[2].name, "a__#2");
}

}  // namespace
}  // namespace fairlead
