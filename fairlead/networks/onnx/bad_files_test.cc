// Files that cannot be right, each with what the import says about it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/onnx/testing/test_model.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string FileComplaint(std::string_view bytes) {
  const auto imported = ImportOnnx("net.onnx", bytes);
  return imported.has_value() ? "none" : imported.error().message;
}

std::string FileComplaint(const TestModel& model) { return FileComplaint(model.Bytes()); }

TestModel Image() { return TestModel({1, 3, 8, 8}); }

TestModel ConvolutionModel(const Dims& weights, const std::vector<TestAttribute>& attributes = {}) {
  TestModel model = Image();
  model.Weights("w", weights).Node("Conv", {"x", "w"}, "y", attributes).Output("y");
  return model;
}

TEST(BadOnnxFiles, Empty) {
  EXPECT_EQ(FileComplaint(""), "net.onnx: is empty; expected an ONNX model");
}

TEST(BadOnnxFiles, SomethingElse) {
  EXPECT_EQ(FileComplaint("horizon: 5s\n"), "net.onnx: is not an ONNX model, or is cut off");
}

TEST(BadOnnxFiles, CutOffAnywhere) {
  const std::string bytes = ConvolutionModel({4, 3, 3, 3}).Bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(FileComplaint(std::string_view(bytes).substr(0, size)), StartsWith("net.onnx: "))
        << size;
  }
  EXPECT_EQ(FileComplaint(bytes), "none");
}

TEST(BadOnnxFiles, NoGraph) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  EXPECT_EQ(FileComplaint(model.SerializeAsString()),
            "net.onnx: has no graph; expected an ONNX model with one");
}

TEST(BadOnnxFiles, NoOperators) {
  EXPECT_EQ(FileComplaint(Image()), "net.onnx: has a graph without operators");
}

TEST(BadOnnxFiles, NoOutputs) {
  EXPECT_EQ(FileComplaint(Image().Node("Relu", {"x"}, "y")),
            "net.onnx: has a graph without outputs");
}

TEST(BadOnnxFiles, NoVersionOfOperators) {
  TestModel model = Image();
  model.Node("Relu", {"x"}, "y").Output("y").proto().clear_opset_import();
  EXPECT_EQ(FileComplaint(model),
            "net.onnx: does not say which version of ONNX's operators it uses (opset_import)");
}

TEST(BadOnnxFiles, UndefinedOutput) {
  EXPECT_EQ(FileComplaint(Image().Node("Relu", {"x"}, "y").Output("z")),
            "net.onnx: output 'z' is not defined by any operator");
}

TEST(BadOnnxFiles, Cycle) {
  TestModel model = Image();
  model.Node("Add", {"x", "b"}, "a").Node("Relu", {"a"}, "b").Output("b");
  EXPECT_EQ(FileComplaint(model),
            "net.onnx: node 'a' (Add): reads 'b', which nothing before it defines (is there a "
            "cycle?)");
}

TEST(BadOnnxFiles, DefinedTwice) {
  EXPECT_EQ(FileComplaint(Image().Node("Relu", {"x"}, "y").Node("Tanh", {"x"}, "y").Output("y")),
            "net.onnx: node 'y' (Tanh): 'y' is defined twice");
}

TEST(BadOnnxFiles, InputTwice) {
  EXPECT_EQ(FileComplaint(Image().AddInput("x", {1}).Node("Relu", {"x"}, "y").Output("y")),
            "net.onnx: input 'x' stands twice");
}

TEST(BadOnnxFiles, SizeNotFixed) {
  TestModel model({1, 3, 0, 8});
  EXPECT_EQ(FileComplaint(model.Node("Relu", {"x"}, "y").Output("y")),
            "net.onnx: input 'x' has a dimension 2 that is not fixed ('batch'); expected fixed "
            "dimensions, but for the batch");
}

TEST(BadOnnxFiles, HugeInput) {
  TestModel model({1, 1L << 40, 1L << 40});
  EXPECT_THAT(FileComplaint(model.Node("Relu", {"x"}, "y").Output("y")),
              HasSubstr("more than 1000000000000 elements"));
}

TEST(BadOnnxFiles, HugeRank) {
  Dims axes(100'000);
  std::iota(axes.begin(), axes.end(), 0);
  EXPECT_THAT(FileComplaint(Image().Node("Unsqueeze", {"x"}, "y", {{"axes", axes}}).Output("y")),
              HasSubstr("has 100004 dimensions; at most 64"));
  TestModel model(Dims(100'000, 1));
  EXPECT_THAT(FileComplaint(model.Node("Relu", {"x"}, "y").Output("y")),
              HasSubstr("64 dimensions"));
}

TEST(BadOnnxFiles, StrideOfZero) {
  EXPECT_EQ(FileComplaint(ConvolutionModel({4, 3, 3, 3}, {{"strides", {0, 1}}})),
            "net.onnx: node 'y' (Conv): 'strides' has an entry 0; expected 1 to 1000000000");
}

TEST(BadOnnxFiles, NegativePads) {
  EXPECT_THAT(FileComplaint(ConvolutionModel({4, 3, 3, 3}, {{"pads", {-1, 0, 0, 0}}})),
              HasSubstr("'pads' has an entry -1"));
}

TEST(BadOnnxFiles, TooFewPads) {
  EXPECT_THAT(FileComplaint(ConvolutionModel({4, 3, 3, 3}, {{"pads", {1, 1}}})),
              HasSubstr("'pads' has 2 entries; expected 4"));
}

TEST(BadOnnxFiles, ChannelsThatDoNotFit) {
  EXPECT_EQ(FileComplaint(ConvolutionModel({4, 5, 3, 3})),
            "net.onnx: node 'y' (Conv): has 3 channels in 1 groups, and weights of 4x5x3x3");
}

TEST(BadOnnxFiles, GroupsThatDoNotFit) {
  for (std::int64_t groups : {-1, 0, 2}) {
    EXPECT_THAT(FileComplaint(ConvolutionModel({4, 3, 3, 3}, {{"group", {groups}}})),
                HasSubstr(fmt::format("in {} groups", groups)));
  }
}

TEST(BadOnnxFiles, KernelBeyondTheInput) {
  EXPECT_EQ(FileComplaint(ConvolutionModel({4, 3, 9, 9})),
            "net.onnx: node 'y' (Conv): its window of 9 is larger than its padded input of 8");
}

TEST(BadOnnxFiles, KernelTooLargeToBeSpread) {
  TestModel model({1, 1, 8, 8});
  model.Weights("w", {1, 1, 1'000'000'000'000, 1});
  model.Node("Conv", {"x", "w"}, "y", {{"dilations", {1'000'000'000, 1}}}).Output("y");
  EXPECT_EQ(FileComplaint(model),
            "net.onnx: node 'y' (Conv): has a window of 1000000000000x1; expected at most "
            "1000000000");
}

// Without an element there could be any number of rows; flattening them would multiply those.
TEST(BadOnnxFiles, NothingOfHugeSize) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(CountElements({0, 7, 5}), 0);
  EXPECT_EQ(CountElements({0, 7, kHuge}), std::nullopt);
  EXPECT_EQ(CountElements({7, kHuge, 0}), std::nullopt);
}

TEST(BadOnnxFiles, WeightsOfNoSize) {
  EXPECT_THAT(FileComplaint(ConvolutionModel({4, 3, 0, 3})),
              HasSubstr("expected 4 positive dimensions"));
}

TEST(BadOnnxFiles, ConvolutionWithoutWeights) {
  EXPECT_THAT(FileComplaint(Image().Node("Conv", {"x"}, "y").Output("y")),
              HasSubstr("has 1 inputs; expected data and weights"));
}

TEST(BadOnnxFiles, PoolWithoutAKernel) {
  EXPECT_THAT(FileComplaint(Image().Node("MaxPool", {"x"}, "y").Output("y")),
              HasSubstr("'kernel_shape' has an entry 0"));
}

TEST(BadOnnxFiles, HugeLayer) {
  TestModel model({1, 1'000'000, 1'000, 1});
  model.Weights("w", {1'000'000, 1'000'000, 1, 1}).Node("Conv", {"x", "w"}, "y").Output("y");
  EXPECT_EQ(FileComplaint(model), "net.onnx: layer 'y' is too large to be believed");
}

TEST(BadOnnxFiles, ReshapeThatDoesNotFit) {
  EXPECT_EQ(
      FileComplaint(Image().Integers("to", {7, -1}).Node("Reshape", {"x", "to"}, "y").Output("y")),
      "net.onnx: node 'y' (Reshape): reshapes 1x3x8x8 to 7x-1: these do not fit");
}

TEST(BadOnnxFiles, SumsThatDoNotFit) {
  TestModel model = Image();
  model.AddInput("z", {1, 3, 8, 7}).Node("Add", {"x", "z"}, "y").Output("y");
  EXPECT_EQ(FileComplaint(model),
            "net.onnx: node 'y' (Add): combines 1x3x8x8 and 1x3x8x7: these do not fit");
}

TEST(BadOnnxFiles, NothingThatCosts) {
  EXPECT_EQ(FileComplaint(Image().Node("Identity", {"x"}, "y").Output("y")),
            "net.onnx: has no operator that costs anything");
}

TEST(BadOnnxFiles, OnlyConstants) {
  TestModel model = Image();
  model.Integers("a", {1}).Node("Add", {"a", "a"}, "y").Output("y");
  EXPECT_EQ(FileComplaint(model), "net.onnx: has no operator that costs anything");
}

// Wide and long enough to hang, or fill the memory, if dependencies were followed carelessly.
TEST(BadOnnxFiles, TooManyDependencies) {
  TestModel model = Image();
  std::vector<std::string> wide;
  for (int i = 0; i < 5'000; ++i) {
    wide.push_back(fmt::format("s{}", i));
    model.Node("Softmax", {"x"}, wide.back());
  }
  model.Node("Concat", wide, "i0", {{"axis", {1}}});
  for (int i = 0; i < 5'000; ++i)
    model.Node("Flatten", {fmt::format("i{}", i)}, fmt::format("i{}", i + 1));
  EXPECT_THAT(FileComplaint(model.Output("i5000")),
              HasSubstr("wait for 12507500 operators in all; at most 4000000"));
}

TEST(BadOnnxFiles, TooManyLayers) {
  TestModel model = Image();
  model.Node("Softmax", {"x"}, "s0");
  for (int i = 0; i < 20'000; ++i)
    model.Node("Softmax", {fmt::format("s{}", i)}, fmt::format("s{}", i + 1));
  EXPECT_THAT(FileComplaint(model.Output("s20000")), HasSubstr("more than 20000 layers"));
}

TEST(BadOnnxFiles, GraphsInsideGraphs) {
  onnx::GraphProto graph;
  graph.add_node()->set_op_type("Relu");
  for (int i = 0; i < 10'000; ++i) {
    onnx::GraphProto outer;
    outer.add_node()->set_op_type("If");
    outer.mutable_node(0)->add_attribute()->mutable_g()->Swap(&graph);
    graph.Swap(&outer);
    if (graph.ByteSizeLong() > 2'000) break;
  }
  TestModel model = Image();
  model.graph().MergeFrom(graph);
  EXPECT_THAT(FileComplaint(model.Output("y")), StartsWith("net.onnx: "));
}

TEST(WeightFilter, LeavesOutLargeContents) {
  TestModel model = ConvolutionModel({4, 3, 3, 3});
  onnx::TensorProto& tensor = *model.graph().mutable_initializer(0);
  tensor.clear_data_location();
  tensor.set_raw_data(std::string(1'000'000, 'w'));
  const auto stripped = WithoutWeights(model.Bytes());
  ASSERT_TRUE(stripped.has_value());
  EXPECT_LT(stripped->size(), 200);
  EXPECT_EQ(FileComplaint(model), "none");
}

TEST(WeightFilter, KeepsSmallContents) {
  TestModel model = Image();
  model.Integers("to", {1, -1}).Node("Reshape", {"x", "to"}, "y").Output("y");
  EXPECT_EQ(WithoutWeights(model.Bytes()), model.Bytes());
}

TEST(WeightFilter, RefusesLengthsBeyondTheEnd) {
  EXPECT_FALSE(WithoutWeights("\x3a\x05\x2a").has_value());
}

}  // namespace
}  // namespace fairlead
