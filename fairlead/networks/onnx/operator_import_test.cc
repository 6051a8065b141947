#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/onnx/testing/imported_operators.h"
#include "fairlead/networks/onnx/testing/test_model.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

using Array = std::array<std::int64_t, 2>;

TEST(ImportOperators, NamesEverythingAsTheFileDoes) {
  const OperatorGraph graph = ImportGraph(Image().Node("Relu", {"x"}, "y").Output("y"));
  EXPECT_EQ(graph.name, "net");
  EXPECT_EQ(graph.operators[0].name, "y");
  EXPECT_EQ(graph.tensors[graph.inputs[0]].name, "x");
  EXPECT_EQ(graph.tensors[graph.outputs[0]].name, "y");
}

TEST(ImportOperators, LeavesTheBatchOut) {
  for (std::int64_t batch : {0, 1, 5}) {
    const OperatorGraph graph = ImportGraph(Image(batch).Node("Relu", {"x"}, "y").Output("y"));
    EXPECT_THAT(graph.tensors[graph.inputs[0]].dims, ElementsAre(4, 9, 8)) << batch;
    EXPECT_THAT(OutputDims(graph), ElementsAre(4, 9, 8)) << batch;
  }
}

TEST(ImportOperators, LeavesOutWhatNoOutputDependsOn) {
  TestModel model = Image();
  model.Node("Relu", {"x"}, "y").Node("TopK", {"x"}, "z").Output("y");
  EXPECT_THAT(ImportGraph(model).operators, SizeIs(1));
}

TEST(ImportOperators, ConvolutionsHaveTheirWindows) {
  TestModel model = Image();
  model.Weights("w", {6, 2, 3, 2}).Weights("b", {6});
  model.Node("Conv", {"x", "w", "b"}, "y",
             {{"strides", {2, 1}}, {"pads", {1, 0, 2, 1}}, {"group", {2}}, {"dilations", {1, 2}}});
  const auto body = Only<Convolution>(model.Output("y"));
  EXPECT_EQ(body.window.kernel, (Array{3, 2}));
  EXPECT_EQ(body.window.stride, (Array{2, 1}));
  EXPECT_EQ(body.window.dilation, (Array{1, 2}));
  EXPECT_EQ(body.window.pad_before, (Array{1, 0}));
  EXPECT_EQ(body.window.pad_after, (Array{2, 1}));
  EXPECT_EQ(body.groups, 2);
  EXPECT_THAT(body.weights->dims, ElementsAre(6, 2, 3, 2));
  EXPECT_THAT(body.bias->dims, ElementsAre(6));
  EXPECT_FALSE(body.transposed);
}

TEST(ImportOperators, ConvolutionsMayBeWithoutABias) {
  TestModel model = Image();
  model.Weights("w", {6, 4, 1, 1}).Node("Conv", {"x", "w"}, "y").Output("y");
  EXPECT_EQ(Only<Convolution>(model).bias, nullptr);
}

TEST(ImportOperators, PadsThatFollowFromTheSize) {
  const auto window = [](const std::string& mode) {
    TestModel model = Image();  // 9 x 8
    model.Weights("w", {6, 4, 4, 3}).Node("Conv", {"x", "w"}, "y", {{"strides", {2, 2}}});
    return Only<Convolution>(model.With("auto_pad", mode).Output("y")).window;
  };
  EXPECT_EQ(window("SAME_UPPER").pad_before, (Array{1, 0}));
  EXPECT_EQ(window("SAME_UPPER").pad_after, (Array{2, 1}));
  EXPECT_EQ(window("SAME_LOWER").pad_before, (Array{2, 1}));
  EXPECT_EQ(window("SAME_LOWER").pad_after, (Array{1, 0}));
  EXPECT_EQ(window("VALID").pad_before, (Array{0, 0}));
  EXPECT_EQ(window("VALID").pad_after, (Array{0, 0}));
}

TestModel Transposed(const std::vector<TestAttribute>& attributes) {
  TestModel model({1, 4, 3, 3});
  model.Weights("w", {4, 2, 3, 3}).Node("ConvTranspose", {"x", "w"}, "y", attributes);
  return model;
}

TEST(ImportOperators, TransposedConvolutions) {
  const OperatorGraph graph = ImportGraph(
      Transposed({{"strides", {2, 2}}, {"pads", {1, 0, 0, 1}}, {"group", {2}}}).Output("y"));
  const auto body = BodyOf<Convolution>(graph);
  EXPECT_TRUE(body.transposed);
  EXPECT_EQ(body.groups, 2);
  EXPECT_EQ(body.window.pad_before, (Array{1, 0}));
  EXPECT_EQ(body.window.pad_after, (Array{0, 1}));
  EXPECT_THAT(OutputDims(graph), ElementsAre(4, 6, 6));
}

TEST(ImportOperators, PaddingOfTheOutputIsTakenOffThePads) {
  const auto body = Only<Convolution>(
      Transposed({{"strides", {2, 2}}, {"pads", {1, 1, 1, 0}}, {"output_padding", {1, 1}}})
          .Output("y"));
  EXPECT_EQ(body.window.pad_before, (Array{1, 1}));
  EXPECT_EQ(body.window.pad_after, (Array{0, -1}));
}

TEST(ImportOperators, PadsThatFollowFromTheOutput) {
  const auto body =
      Only<Convolution>(Transposed({{"strides", {2, 2}}, {"output_shape", {6, 8}}}).Output("y"));
  EXPECT_EQ(body.window.pad_before, (Array{1, 0}));
  EXPECT_EQ(body.window.pad_after, (Array{0, -1}));
}

TEST(ImportOperators, PadsOfTransposedConvolutionsThatFollowFromTheInput) {
  TestModel model = Transposed({{"strides", {2, 2}}});  // 3x3 becomes 6x6, windows cover 7x7
  const auto body = Only<Convolution>(model.With("auto_pad", "SAME_UPPER").Output("y"));
  EXPECT_EQ(body.window.pad_before, (Array{0, 0}));
  EXPECT_EQ(body.window.pad_after, (Array{1, 1}));
}

TEST(ImportOperators, BatchNormsAreScalesAndShifts) {
  TestModel model({1, 2, 3, 3});
  model.Floats("scale", {2}, {3, 2}).Floats("bias", {2}, {1, 0}).Floats("mean", {2}, {2, -1});
  model.Floats("variance", {2}, {2, 7})
      .Node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, "y")
      .With("epsilon", 2.0F)
      .Output("y");
  const auto body = Only<ChannelScale>(model);
  EXPECT_THAT(body.scale->values, ElementsAre(1.5F, 2.0F / 3.0F));
  EXPECT_THAT(body.shift->values, ElementsAre(-2.0F, 2.0F / 3.0F));
}

Activation ActivationOf(TestModel model) { return Only<Activation>(model.Output("y")); }

TEST(ImportOperators, Activations) {
  using enum ActivationKind;
  for (const auto& [type, kind] : {std::pair("Relu", kRelu),
                                   {"Sigmoid", kSigmoid},
                                   {"HardSwish", kHardSwish},
                                   {"Tanh", kTanh},
                                   {"Exp", kExp},
                                   {"Sqrt", kSqrt},
                                   {"Abs", kAbs},
                                   {"Gelu", kGelu}})
    EXPECT_EQ(ActivationOf(Image().Node(type, {"x"}, "y")).kind, kind) << type;
}

TEST(ImportOperators, ParametersOfActivations) {
  const auto hard = ActivationOf(Image().Node("HardSigmoid", {"x"}, "y").With("alpha", 0.25F));
  EXPECT_EQ(hard.kind, ActivationKind::kHardSigmoid);
  EXPECT_EQ(hard.alpha, 0.25F);
  EXPECT_EQ(hard.beta, 0.5F);
  EXPECT_EQ(ActivationOf(Image().Node("LeakyRelu", {"x"}, "y")).alpha, 0.01F);
  EXPECT_EQ(ActivationOf(Image().Node("Elu", {"x"}, "y")).alpha, 1.0F);
  const auto negation = ActivationOf(Image().Node("Neg", {"x"}, "y"));
  EXPECT_EQ(negation.kind, ActivationKind::kLinear);
  EXPECT_EQ(negation.alpha, -1.0F);
}

TEST(ImportOperators, ClipsByAttributesAndInputs) {
  TestModel by_inputs = Image();
  by_inputs.Floats("low", {}, {0.5F})
      .Floats("high", {}, {6})
      .Node("Clip", {"x", "low", "high"}, "y");
  TestModel by_attributes = Image(1, 6);
  by_attributes.Node("Clip", {"x"}, "y").With("min", 0.5F).With("max", 6.0F);
  for (const TestModel& model : {by_inputs, by_attributes}) {
    const Activation clip = ActivationOf(model);
    EXPECT_EQ(clip.kind, ActivationKind::kClip);
    EXPECT_EQ(clip.alpha, 0.5F);
    EXPECT_EQ(clip.beta, 6.0F);
  }
  TestModel one_sided = Image();
  one_sided.Floats("high", {}, {6}).Node("Clip", {"x", "", "high"}, "y");
  EXPECT_EQ(ActivationOf(one_sided).alpha, std::numeric_limits<float>::lowest());
}

TEST(ImportOperators, PReluOfOneSlope) {
  TestModel model = Image();
  model.Floats("slope", {1, 1, 1}, {0.25F}).Node("PRelu", {"x", "slope"}, "y");
  EXPECT_EQ(ActivationOf(model).kind, ActivationKind::kLeakyRelu);
  EXPECT_EQ(ActivationOf(model).alpha, 0.25F);
}

TEST(ImportOperators, SumsAndTheLike) {
  using enum BinaryKind;
  for (const auto& [type, kind] : {std::pair("Add", kAdd),
                                   {"Sub", kSubtract},
                                   {"Mul", kMultiply},
                                   {"Div", kDivide},
                                   {"Max", kMaximum},
                                   {"Min", kMinimum},
                                   {"Sum", kAdd}}) {
    TestModel model = Image();
    model.AddInput("z", {1, 4, 1, 1}).Node(type, {"z", "x"}, "y").Output("y");
    const OperatorGraph graph = ImportGraph(model);
    EXPECT_EQ(BodyOf<Binary>(graph).kind, kind) << type;
    EXPECT_THAT(graph.operators[0].inputs, ElementsAre(graph.inputs[1], graph.inputs[0])) << type;
    EXPECT_THAT(OutputDims(graph), ElementsAre(4, 9, 8)) << type;
  }
}

TEST(ImportOperators, SumsOfManyAreAChain) {
  TestModel model = Image();
  model.AddInput("a", {1, 4, 1, 1}).AddInput("b", {1, 1, 9, 1});
  const OperatorGraph graph = ImportGraph(model.Node("Sum", {"a", "b", "x"}, "y").Output("y"));
  ASSERT_THAT(graph.operators, SizeIs(2));
  EXPECT_THAT(graph.tensors[graph.operators[0].output].dims, ElementsAre(4, 9, 1));
  EXPECT_THAT(graph.operators[1].inputs, ElementsAre(graph.operators[0].output, graph.inputs[0]));
  EXPECT_NE(graph.operators[0].name, graph.operators[1].name);
}

TEST(ImportOperators, SumsOfManyBeginWithWhatIsComputed) {
  TestModel model = Image();
  model.Weights("a", {8}).Weights("b", {1, 8}).Node("Sum", {"a", "b", "x"}, "y").Output("y");
  const OperatorGraph graph = ImportGraph(model);
  EXPECT_EQ(graph.operators[0].inputs[0], graph.inputs[0]);
  EXPECT_EQ(graph.operators[1].inputs[0], graph.operators[0].output);
}

TEST(ImportOperators, ASumOfOneIsNothing) {
  TestModel model = Image();
  model.Node("Relu", {"x"}, "r").Node("Sum", {"r"}, "y").Output("y");
  EXPECT_THAT(ImportGraph(model).operators, SizeIs(1));
}

GraphTensor SecondOperand(const TestModel& model) {
  const OperatorGraph graph = ImportGraph(model);
  return graph.tensors[graph.operators[0].inputs[1]];
}

TEST(ImportOperators, ConstantOperandsKeepTheirDimensions) {
  TestModel model = Image();
  model.Floats("k", {4, 1, 1}, {1, 2, 3, 4}).Node("Mul", {"x", "k"}, "y").Output("y");
  const GraphTensor operand = SecondOperand(model);
  EXPECT_THAT(operand.dims, ElementsAre(4, 1, 1));
  EXPECT_THAT(operand.constant->values, ElementsAre(1, 2, 3, 4));
}

TEST(ImportOperators, ConstantOperandsOfFullRankLoseTheBatch) {
  TestModel model = Image(3);
  model.Floats("k", {1, 4, 1, 1}, {1, 2, 3, 4}).Node("Mul", {"x", "k"}, "y").Output("y");
  const GraphTensor operand = SecondOperand(model);
  EXPECT_THAT(operand.dims, ElementsAre(4, 1, 1));
  EXPECT_THAT(operand.constant->dims, ElementsAre(4, 1, 1));
}

TEST(ImportOperators, Concatenations) {
  TestModel model = Image();
  model.AddInput("z", {1, 4, 2, 8}).Node("Concat", {"x", "z"}, "y", {{"axis", {-2}}}).Output("y");
  EXPECT_EQ(Only<Concatenation>(model).axis, 1);
  EXPECT_THAT(OutputDims(ImportGraph(model)), ElementsAre(4, 11, 8));
}

TEST(ImportOperators, SplitsAreSlices) {
  TestModel model = Image();
  model.Integers("sizes", {1, 2, 1}).Node("Split", {"x", "sizes"}, "a", {{"axis", {1}}});
  model.AlsoWrites("b").AlsoWrites("c").Node("Relu", {"c"}, "r").Output("a").Output("r");
  const OperatorGraph graph = ImportGraph(model);  // b is not needed
  ASSERT_THAT(graph.operators, SizeIs(3));
  EXPECT_THAT(BodyOf<Slice>(graph, 0).start, ElementsAre(0, 0, 0));
  EXPECT_THAT(BodyOf<Slice>(graph, 1).start, ElementsAre(3, 0, 0));
  EXPECT_THAT(BodyOf<Slice>(graph, 1).step, ElementsAre(1, 1, 1));
  EXPECT_THAT(graph.tensors[graph.operators[1].output].dims, ElementsAre(1, 9, 8));
}

TEST(ImportOperators, Slices) {
  TestModel model = Image();
  model.Integers("starts", {1, -1}).Integers("ends", {9, -9}).Integers("axes", {2, 3});
  model.Integers("steps", {3, -2});
  model.Node("Slice", {"x", "starts", "ends", "axes", "steps"}, "y").Output("y");
  const auto body = Only<Slice>(model);
  EXPECT_THAT(body.start, ElementsAre(0, 1, 7));
  EXPECT_THAT(body.step, ElementsAre(1, 3, -2));
  EXPECT_THAT(OutputDims(ImportGraph(model)), ElementsAre(4, 3, 4));
}

TEST(ImportOperators, Transpositions) {
  TestModel model = Image();
  model.Node("Transpose", {"x"}, "y", {{"perm", {0, 2, 3, 1}}}).Output("y");
  EXPECT_THAT(Only<Transposition>(model).order, ElementsAre(1, 2, 0));
  EXPECT_THAT(OutputDims(ImportGraph(model)), ElementsAre(9, 8, 4));
}

TEST(ImportOperators, Reshapes) {
  TestModel model = Image(2);
  model.Integers("to", {0, -1, 2, 8}).Node("Reshape", {"x", "to"}, "y").Output("y");
  std::ignore = Only<Reshape>(model);
  EXPECT_THAT(OutputDims(ImportGraph(model)), ElementsAre(18, 2, 8));
}

TEST(ImportOperators, ReshapesWhoseTargetIsComputedFromTheShape) {
  TestModel model = Image(0);
  model.Integers("zero", {0}).Integers("rest", {-1});
  model.Node("Shape", {"x"}, "s").Node("Gather", {"s", "zero"}, "n");
  model.Node("Concat", {"n", "rest"}, "to", {{"axis", {0}}});
  model.Node("Reshape", {"x", "to"}, "y").Output("y");
  const OperatorGraph graph = ImportGraph(model);
  EXPECT_THAT(graph.operators, SizeIs(1));
  EXPECT_THAT(OutputDims(graph), ElementsAre(288));
}

TEST(ImportOperators, FlattensAndTheLikeAreReshapes) {
  TestModel model({1, 4, 1, 8});
  model.Integers("two", {2}).Integers("last", {-1}).Node("Squeeze", {"x", "two"}, "a");
  model.Node("Unsqueeze", {"a", "last"}, "b").Node("Flatten", {"b"}, "y").Output("y");
  const OperatorGraph graph = ImportGraph(model);
  for (std::size_t i = 0; i < 3; ++i) std::ignore = BodyOf<Reshape>(graph, i);
  EXPECT_THAT(graph.tensors[graph.operators[0].output].dims, ElementsAre(4, 8));
  EXPECT_THAT(graph.tensors[graph.operators[1].output].dims, ElementsAre(4, 8, 1));
  EXPECT_THAT(OutputDims(graph), ElementsAre(32));
}

}  // namespace
}  // namespace fairlead
