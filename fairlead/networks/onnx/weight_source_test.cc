// Weights: as they stand in files, moved around, and drawn.

#include "fairlead/networks/onnx/weight_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/onnx/testing/test_model.h"

namespace fairlead {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Result<OperatorGraph> TryImport(const TestModel& model, std::optional<std::uint64_t> seed = {}) {
  return ImportOperators("net.onnx", model.Bytes(), {.weights_seed = seed});
}

std::string WeightComplaint(const TestModel& model) {
  const auto graph = TryImport(model);
  return graph.has_value() ? "none" : graph.error().message;
}

// The weights of the first operator, a convolution or product with a matrix.
WeightsPointer WeightsIn(const TestModel& model, std::optional<std::uint64_t> seed = {}) {
  const auto graph = TryImport(model, seed);
  if (!graph.has_value()) throw std::runtime_error(graph.error().message);
  const OperatorBody& body = graph->operators.at(0).body;
  if (const auto* linear = std::get_if<Linear>(&body)) return linear->weights;
  return std::get<Convolution>(body).weights;
}

// Two inputs, two outputs and weights of this type, which are yet to be filled.
TestModel TwoByTwo(int type) {
  TestModel model({1, 2});
  auto& tensor = *model.graph().add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(type);
  tensor.add_dims(2);
  tensor.add_dims(2);
  return model.Node("Gemm", {"x", "w"}, "y", {{"transB", {1}}}).Output("y");
}

onnx::TensorProto& WeightsOf(TestModel& model) { return *model.graph().mutable_initializer(0); }

template <typename T>
std::string Raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Weights, AsFloats) {
  TestModel model = TwoByTwo(onnx::TensorProto::FLOAT);
  for (float value : {1.5F, -2.0F, 0.0F, 3.0F}) WeightsOf(model).add_float_data(value);
  EXPECT_THAT(WeightsIn(model)->values, ElementsAre(1.5F, -2.0F, 0.0F, 3.0F));
}

TEST(Weights, AsRawFloats) {
  TestModel model = TwoByTwo(onnx::TensorProto::FLOAT);
  WeightsOf(model).set_raw_data(Raw<float>({1.5F, -2.0F, 0.0F, 3.0F}));
  EXPECT_THAT(WeightsIn(model)->values, ElementsAre(1.5F, -2.0F, 0.0F, 3.0F));
}

TEST(Weights, AsDoubles) {
  TestModel model = TwoByTwo(onnx::TensorProto::DOUBLE);
  for (double value : {1.5, -2.0, 0.0, 3.0}) WeightsOf(model).add_double_data(value);
  EXPECT_THAT(WeightsIn(model)->values, ElementsAre(1.5F, -2.0F, 0.0F, 3.0F));
  WeightsOf(model).clear_double_data();
  WeightsOf(model).set_raw_data(Raw<double>({1.5, -2.0, 0.0, 3.0}));
  EXPECT_THAT(WeightsIn(model)->values, ElementsAre(1.5F, -2.0F, 0.0F, 3.0F));
}

TEST(Weights, AsHalfFloats) {
  // 1.5, -2, the smallest of all, and the largest.
  const std::vector<std::uint16_t> bits = {0x3e00, 0xc000, 0x0001, 0x7bff};
  TestModel model = TwoByTwo(onnx::TensorProto::FLOAT16);
  for (std::uint16_t value : bits) WeightsOf(model).add_int32_data(value);
  EXPECT_THAT(WeightsIn(model)->values, ElementsAre(1.5F, -2.0F, 0x1p-24F, 65504.0F));
  WeightsOf(model).clear_int32_data();
  WeightsOf(model).set_raw_data(Raw(bits));
  EXPECT_THAT(WeightsIn(model)->values, ElementsAre(1.5F, -2.0F, 0x1p-24F, 65504.0F));
}

TEST(Weights, HalfFloatsThatAreNoNumbers) {
  TestModel model = TwoByTwo(onnx::TensorProto::FLOAT16);
  WeightsOf(model).set_raw_data(Raw<std::uint16_t>({0x7c00, 0xfc00, 0x8000, 0x7e00}));
  const std::vector<float> values = WeightsIn(model)->values;
  EXPECT_EQ(values[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[1], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(values[2]));
  EXPECT_TRUE(std::isnan(values[3]));
}

TEST(Weights, AsBrainFloats) {
  const std::vector<std::uint16_t> bits = {0x3fc0, 0xc000, 0x0000, 0x4040};
  TestModel model = TwoByTwo(onnx::TensorProto::BFLOAT16);
  WeightsOf(model).set_raw_data(Raw(bits));
  EXPECT_THAT(WeightsIn(model)->values, ElementsAre(1.5F, -2.0F, 0.0F, 3.0F));
}

TEST(Weights, OfOtherTypesAreRefused) {
  TestModel model = TwoByTwo(onnx::TensorProto::INT8);
  WeightsOf(model).set_raw_data(Raw<std::int8_t>({1, 2, 3, 4}));
  EXPECT_EQ(WeightComplaint(model),
            "net.onnx: node 'y' (Gemm): weights 'w': have numbers of ONNX's type 3; expected "
            "floating point");
}

TEST(Weights, ThatDoNotFitTheirDimensionsAreRefused) {
  TestModel model = TwoByTwo(onnx::TensorProto::FLOAT);
  WeightsOf(model).set_raw_data(Raw<float>({1, 2, 3}));
  EXPECT_THAT(WeightComplaint(model),
              HasSubstr("have 3 numbers in the file; their dimensions ask for 4"));
  WeightsOf(model).set_raw_data(Raw<float>({1, 2, 3, 4}) + "x");
  EXPECT_THAT(WeightComplaint(model), HasSubstr("have 0 numbers in the file"));
  WeightsOf(model).clear_raw_data();
  EXPECT_THAT(WeightComplaint(model), HasSubstr("have 0 numbers in the file"));
}

TEST(Weights, ThatDoNotFitAreNotAllocated) {
  TestModel model({1, 1'000'000});
  model.Weights("w", {1'000'000, 1'000'000}).Node("MatMul", {"x", "w"}, "y").Output("y");
  WeightsOf(model).clear_data_location();
  EXPECT_THAT(WeightComplaint(model), HasSubstr("their dimensions ask for 1000000000000"));
}

TEST(Weights, LargeOnes) {
  TestModel model({1, 100});
  std::vector<float> values(10'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  model.Floats("w", {100, 100}, values).Node("Gemm", {"x", "w"}, "y", {{"transB", {1}}});
  EXPECT_EQ(WeightsIn(model.Output("y"))->values, values);
}

TEST(Weights, OfConstantNodes) {
  std::vector<float> values(300);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  TestModel model({1, 3});
  auto& node = *model.graph().add_node();
  node.set_op_type("Constant");
  node.add_output("w");
  auto& attribute = *node.add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
  attribute.mutable_t()->add_dims(100);
  attribute.mutable_t()->add_dims(3);
  attribute.mutable_t()->set_raw_data(Raw(values));
  model.Node("Gemm", {"x", "w"}, "y", {{"transB", {1}}}).Output("y");
  EXPECT_EQ(WeightsIn(model)->values, values);
}

TEST(Weights, AreSharedAsInTheFile) {
  TestModel model({1, 3});
  model.Floats("w", {3, 3}, std::vector<float>(9, 1)).Node("MatMul", {"x", "w"}, "a");
  const auto graph = TryImport(model.Node("MatMul", {"a", "w"}, "y").Output("y"));
  EXPECT_EQ(std::get<Linear>(graph->operators[0].body).weights,
            std::get<Linear>(graph->operators[1].body).weights);
  EXPECT_EQ(graph->WeightCount(), 9);
}

TEST(Weights, MayBeMovedBeforeTheyAreUsed) {
  std::vector<float> values(300);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  TestModel model({1, 3, 5, 5});
  model.Floats("w", {5, 2, 10, 3}, values).Integers("to", {10, 10, 1, 3});
  model.Node("Identity", {"w"}, "i").Node("Reshape", {"i", "to"}, "r");
  model.Node("Transpose", {"r"}, "t", {{"perm", {1, 3, 2, 0}}});
  model.Integers("zero", {2})
      .Node("Squeeze", {"t", "zero"}, "s")
      .Node("Unsqueeze", {"s", "zero"}, "u");
  model.Node("Conv", {"x", "u"}, "y", {{"pads", {0, 4, 0, 4}}}).Output("y");
  const WeightsPointer weights = WeightsIn(model);
  EXPECT_THAT(weights->dims, ElementsAre(10, 3, 1, 10));
  // [k][c][0][s] was [s][k][0][c].
  EXPECT_EQ(weights->values[2 * 30 + 1 * 10 + 7], values[7 * 30 + 2 * 3 + 1]);
}

TEST(Weights, MovedInALongChain) {
  TestModel model({1, 20});
  model.Floats("w0", {20, 20}, std::vector<float>(400, 2));
  for (int i = 0; i < 20'000; ++i)
    model.Node("Identity", {fmt::format("w{}", i)}, fmt::format("w{}", i + 1));
  model.Node("MatMul", {"x", "w20000"}, "y").Output("y");
  EXPECT_THAT(WeightsIn(model)->values, Each(2));
}

TEST(Weights, FewMayBeComputed) {
  TestModel model({1, 2});
  model.Floats("w", {2, 2}, {1, 2, 3, 4}).Floats("two", {}, {2}).Node("Mul", {"w", "two"}, "v");
  model.Node("Gemm", {"x", "v"}, "y", {{"transB", {1}}}).Output("y");
  EXPECT_THAT(WeightsIn(model)->values, ElementsAre(2, 4, 6, 8));
}

TEST(Weights, ThatAreComputedAreRefused) {
  TestModel model({1, 20});
  model.Floats("w", {20, 20}, std::vector<float>(400, 2)).Node("Relu", {"w"}, "v");
  EXPECT_EQ(WeightComplaint(model.Node("MatMul", {"x", "v"}, "y").Output("y")),
            "net.onnx: node 'y' (MatMul): weights 'v': are computed by node 'v' (Relu); expected "
            "weights that are ready: export with constant folding on");
}

TEST(Weights, MadeTooOftenFromOthersAreRefused) {
  TestModel model({1, 100});
  model.Floats("w", {100, 100}, std::vector<float>(10'000, 1)).Node("Relu", {"x"}, "y0");
  for (int i = 0; i < 100; ++i) {
    model.Node("Gemm", {fmt::format("y{}", i), "w"}, fmt::format("y{}", i + 1));
    model.With("alpha", static_cast<float>(i));
  }
  EXPECT_THAT(WeightComplaint(model.Output("y100")), HasSubstr("than can be believed"));
}

TEST(Weights, TooManyAreRefused) {
  TestModel model({1, 2});
  model.Floats("w", {2, 2}, {1, 2, 3, 4}).Node("MatMul", {"x", "w"}, "y").Output("y");
  const auto graph =
      ImportOperators("net.onnx", model.Bytes(), {.weights_seed = {}, .most_weights = 3});
  EXPECT_THAT(graph.error().message, HasSubstr("has more than 3 weights"));
}

TestModel LeftOut(const std::string& name = "w") {
  TestModel model({1, 8, 9, 9});
  model.Weights(name, {16, 8, 3, 3}).Node("Conv", {"x", name}, "y").Output("y");
  return model;
}

TEST(Weights, ThatAreLeftOutAreAnError) {
  EXPECT_EQ(WeightComplaint(LeftOut()),
            "net.onnx: node 'y' (Conv): weights 'w': are not in the file; expected a file that "
            "contains its weights (external files are not opened), or a seed to draw them from");
}

TEST(Weights, DrawnOnesFollowFromTheSeed) {
  const std::vector<float> first = WeightsIn(LeftOut(), 1)->values;
  EXPECT_THAT(first, SizeIs(16 * 8 * 9));
  EXPECT_EQ(WeightsIn(LeftOut(), 1)->values, first);
  EXPECT_NE(WeightsIn(LeftOut(), 2)->values, first);
}

TEST(Weights, DrawnKernelsKeepTheSizeOfSignals) {
  const std::vector<float> values = WeightsIn(LeftOut(), 1)->values;
  double squares = 0;
  for (float value : values) squares += static_cast<double>(value) * static_cast<double>(value);
  const double variance = squares / static_cast<double>(values.size());
  EXPECT_NEAR(variance * 8 * 9, 1, 0.1);
  EXPECT_LE(std::ranges::max(values), std::sqrt(3.0 / 72));
}

TEST(Weights, WhatIsInTheFileStaysWhereOthersAreDrawn) {
  TestModel model({1, 2});
  model.Floats("b", {3}, {5, 6, 7}).AddInput("w", {2, 3});
  const auto graph = TryImport(model.Node("Gemm", {"x", "w", "b"}, "y").Output("y"), 1);
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  const auto& body = std::get<Linear>(graph->operators[0].body);
  EXPECT_THAT(body.weights->values, SizeIs(6));
  EXPECT_THAT(body.bias->values, ElementsAre(5, 6, 7));
}

TEST(Weights, DrawnBatchNormsAreNearlyNothing) {
  TestModel model({1, 50, 2, 2});
  for (const char* name : {"scale", "bias", "mean", "variance"}) model.Weights(name, {50});
  model.Node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, "y").Output("y");
  const auto graph = TryImport(model, 1);
  const auto& body = std::get<ChannelScale>(graph->operators[0].body);
  ASSERT_THAT(body.scale->values, SizeIs(50));
  ASSERT_THAT(body.shift->values, SizeIs(50));
  for (float scale : body.scale->values) EXPECT_NEAR(scale, 1, 0.2);
  for (float shift : body.shift->values) EXPECT_NEAR(shift, 0, 0.2);
  EXPECT_NE(body.shift->values.front(), body.shift->values.back());
}

TEST(Weights, AreDrawnWhereTheyAreInputsOfTheGraph) {
  TestModel model({1, 3, 8, 8});
  model.AddInput("w", {4, 3, 3, 3}).Node("Conv", {"x", "w"}, "y").Output("y");
  EXPECT_THAT(WeightsIn(model, 1)->values, SizeIs(4 * 3 * 9));
  EXPECT_THAT(TryImport(model, 1)->inputs, SizeIs(1));
  EXPECT_THAT(WeightComplaint(model), HasSubstr("are not in the file"));
}

TEST(Weights, TooManyToDrawAreRefused) {
  TestModel model({1, 100'000});
  model.Weights("w", {100'000, 100'000}).Node("MatMul", {"x", "w"}, "y").Output("y");
  EXPECT_THAT(TryImport(model, 1).error().message, HasSubstr("more than 2147483648 to be drawn"));
}

TEST(Weights, SparseOnesAreRefused) {
  TestModel model({1, 2});
  auto& sparse = *model.graph().add_sparse_initializer();
  sparse.mutable_values()->set_name("w");
  sparse.add_dims(2);
  sparse.add_dims(2);
  EXPECT_THAT(WeightComplaint(model.Node("MatMul", {"x", "w"}, "y").Output("y")),
              HasSubstr("weights 'w': are sparse"));
}

}  // namespace
}  // namespace fairlead
