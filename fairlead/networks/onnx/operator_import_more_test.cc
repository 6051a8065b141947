// Linear layers, pools, reductions, resizes and what vanishes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/onnx/testing/imported_operators.h"
#include "fairlead/networks/onnx/testing/test_model.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Array = std::array<std::int64_t, 2>;

TEST(ImportOperators, GemmHasItsWeightsAsOutputsByInputs) {
  TestModel model({2, 3});
  model.Floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}).Floats("b", {1, 2}, {10, 20});
  model.Node("Gemm", {"x", "w", "b"}, "y").With("alpha", 2.0F).With("beta", 0.5F).Output("y");
  const auto body = Only<Linear>(model);
  EXPECT_THAT(body.weights->dims, ElementsAre(2, 3));
  EXPECT_THAT(body.weights->values, ElementsAre(2, 6, 10, 4, 8, 12));
  EXPECT_THAT(body.bias->dims, ElementsAre(2));
  EXPECT_THAT(body.bias->values, ElementsAre(5, 10));
}

TEST(ImportOperators, GemmWithTransposedWeights) {
  TestModel model({2, 3});
  model.Floats("w", {2, 3}, {1, 2, 3, 4, 5, 6}).Floats("b", {}, {7});
  model.Node("Gemm", {"x", "w", "b"}, "y", {{"transB", {1}}}).Output("y");
  const auto body = Only<Linear>(model);
  EXPECT_THAT(body.weights->values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(body.bias->values, ElementsAre(7, 7));  // one number for all
}

TEST(ImportOperators, GemmWithoutABias) {
  TestModel model({2, 3});
  model.Weights("w", {3, 2}).Floats("b", {2}, {1, 2}).Node("Gemm", {"x", "w", "b"}, "y");
  EXPECT_EQ(Only<Linear>(model.With("beta", 0.0F).Output("y")).bias, nullptr);
}

TEST(ImportOperators, MatMulIsLinear) {
  TestModel model({2, 5, 3});
  model.Floats("w", {1, 3, 2}, {1, 2, 3, 4, 5, 6}).Node("MatMul", {"x", "w"}, "y").Output("y");
  const auto body = Only<Linear>(model);
  EXPECT_THAT(body.weights->dims, ElementsAre(2, 3));
  EXPECT_THAT(body.weights->values, ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_EQ(body.bias, nullptr);
  EXPECT_THAT(OutputDims(ImportGraph(model)), ElementsAre(5, 2));
}

TestModel PoolOf(const std::string& type, const std::vector<TestAttribute>& attributes) {
  TestModel model = Image();  // 9 x 8
  model.Node(type, {"x"}, "y", attributes).Output("y");
  return model;
}

TEST(ImportOperators, Pools) {
  const auto body = Only<Pool>(PoolOf("MaxPool", {{"kernel_shape", {3, 2}},
                                                  {"strides", {2, 2}},
                                                  {"pads", {1, 0, 1, 0}},
                                                  {"dilations", {1, 2}}}));
  EXPECT_EQ(body.kind, PoolKind::kMax);
  EXPECT_EQ(body.window.kernel, (Array{3, 2}));
  EXPECT_EQ(body.window.dilation, (Array{1, 2}));
  EXPECT_EQ(body.window.pad_before, (Array{1, 0}));
  EXPECT_EQ(body.window.pad_after, (Array{1, 0}));
  EXPECT_EQ(Only<Pool>(PoolOf("AveragePool", {{"kernel_shape", {3, 3}}})).kind, PoolKind::kAverage);
}

TEST(ImportOperators, PoolsPadAsFarAsTheirLastWindowReaches) {
  TestModel model =
      PoolOf("MaxPool", {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}, {"ceil_mode", {1}}});
  EXPECT_EQ(Only<Pool>(model).window.pad_after, (Array{0, 1}));
  EXPECT_THAT(OutputDims(ImportGraph(model)), ElementsAre(4, 4, 4));
  EXPECT_EQ(
      Only<Pool>(PoolOf("MaxPool",
                        {{"kernel_shape", {2, 2}}, {"strides", {2, 3}}, {"pads", {1, 1, 1, 1}}}))
          .window.pad_after,
      (Array{0, 0}));
}

TEST(ImportOperators, PoolsThatCountPadding) {
  const auto body = Only<Pool>(
      PoolOf("AveragePool",
             {{"kernel_shape", {3, 3}}, {"pads", {1, 1, 1, 1}}, {"count_include_pad", {1}}}));
  EXPECT_EQ(body.kind, PoolKind::kAveragePadding);
  EXPECT_EQ(body.window.pad_after, (Array{1, 1}));
}

TEST(ImportOperators, GlobalPoolsHaveTheImageAsWindow) {
  for (const auto& [type, kind] :
       {std::pair("GlobalAveragePool", PoolKind::kAverage), {"GlobalMaxPool", PoolKind::kMax}}) {
    const auto body = Only<Pool>(PoolOf(type, {}));
    EXPECT_EQ(body.kind, kind);
    EXPECT_EQ(body.window.kernel, (Array{9, 8}));
  }
}

TEST(ImportOperators, Reductions) {
  for (const auto& [type, kind] : {std::pair("ReduceMean", ReductionKind::kMean),
                                   {"ReduceSum", ReductionKind::kSum},
                                   {"ReduceMax", ReductionKind::kMaximum}}) {
    TestModel model = Image();
    model.Node(type, {"x"}, "y", {{"axes", {-1, 1}}, {"keepdims", {0}}}).Output("y");
    const auto body = Only<Reduction>(model);
    EXPECT_EQ(body.kind, kind);
    EXPECT_THAT(body.axes, ElementsAre(0, 2));
    EXPECT_THAT(OutputDims(ImportGraph(model)), ElementsAre(9));
  }
}

TEST(ImportOperators, AReductionOverNothingIsNothing) {
  TestModel model = Image();
  model.Node("Relu", {"x"}, "r").Node("ReduceSum", {"r"}, "y", {{"noop_with_empty_axes", {1}}});
  EXPECT_THAT(ImportGraph(model.Output("y")).operators, SizeIs(1));
}

TEST(ImportOperators, Paddings) {
  TestModel by_inputs = Image();
  by_inputs.Integers("pads", {0, 0, 1, 2, 0, 0, 3, 0}).Floats("value", {}, {0.5F});
  by_inputs.Node("Pad", {"x", "pads", "value"}, "y").Output("y");
  TestModel by_attributes = Image(1, 10);
  by_attributes.Node("Pad", {"x"}, "y", {{"pads", {0, 0, 1, 2, 0, 0, 3, 0}}}).With("value", 0.5F);
  by_attributes.Output("y");
  for (const TestModel& model : {by_inputs, by_attributes}) {
    const auto body = Only<Padding>(model);
    EXPECT_THAT(body.before, ElementsAre(0, 1, 2));
    EXPECT_THAT(body.after, ElementsAre(0, 3, 0));
    EXPECT_EQ(body.value, 0.5F);
  }
}

TestModel Resized(const std::string& mode) {
  TestModel model = Image();
  model.Floats("scales", {4}, {1, 1, 2, 3}).Node("Resize", {"x", "", "scales"}, "y");
  return model.With("mode", mode);
}

TEST(ImportOperators, Resizes) {
  const auto nearest = Only<Resize>(Resized("nearest").Output("y"));
  EXPECT_EQ(nearest.kind, ResizeKind::kNearest);
  EXPECT_EQ(nearest.grid, ResizeGrid::kHalfPixel);
  EXPECT_EQ(nearest.rounding, ResizeRounding::kHalfDown);
  const auto linear = Only<Resize>(Resized("linear").Output("y"));
  EXPECT_EQ(linear.kind, ResizeKind::kLinear);
}

TEST(ImportOperators, GridsOfResizes) {
  for (const auto& [mode, grid] : {std::pair("half_pixel", ResizeGrid::kHalfPixel),
                                   {"pytorch_half_pixel", ResizeGrid::kHalfPixel},
                                   {"align_corners", ResizeGrid::kAlignCorners},
                                   {"asymmetric", ResizeGrid::kAsymmetric}}) {
    TestModel model = Resized("linear").With("coordinate_transformation_mode", mode);
    EXPECT_EQ(Only<Resize>(model.Output("y")).grid, grid) << mode;
  }
}

TEST(ImportOperators, RoundingsOfResizes) {
  using enum ResizeRounding;
  for (const auto& [mode, rounding] : {std::pair("floor", kFloor),
                                       {"ceil", kCeil},
                                       {"round_prefer_floor", kHalfDown},
                                       {"round_prefer_ceil", kHalfUp}}) {
    TestModel model = Resized("nearest").With("nearest_mode", mode);
    EXPECT_EQ(Only<Resize>(model.Output("y")).rounding, rounding) << mode;
  }
}

TEST(ImportOperators, ResizesToSizes) {
  TestModel model = Image();
  model.Integers("sizes", {1, 4, 13, 3}).Node("Resize", {"x", "", "", "sizes"}, "y").Output("y");
  EXPECT_THAT(OutputDims(ImportGraph(model)), ElementsAre(4, 13, 3));
}

TEST(ImportOperators, EarlyResizesAreAsymmetric) {
  for (const auto& [type, opset] : {std::pair("Upsample", 9), {"Resize", 10}}) {
    TestModel model = Image(1, opset);
    model.Floats("scales", {4}, {1, 1, 2, 2}).Node(type, {"x", "scales"}, "y").Output("y");
    const auto body = Only<Resize>(model);
    EXPECT_EQ(body.grid, ResizeGrid::kAsymmetric) << type;
    EXPECT_EQ(body.rounding, ResizeRounding::kFloor) << type;
  }
}

TEST(ImportOperators, Softmaxes) {
  const auto softmax = Only<Softmax>(Image().Node("Softmax", {"x"}, "y").Output("y"));
  EXPECT_EQ(softmax.axis, 2);
  EXPECT_FALSE(softmax.logarithm);
  TestModel model = Image();
  model.Node("LogSoftmax", {"x"}, "y", {{"axis", {1}}}).Output("y");
  EXPECT_EQ(Only<Softmax>(model).axis, 0);
  EXPECT_TRUE(Only<Softmax>(model).logarithm);
}

TEST(ImportOperators, EarlySoftmaxesOverOneAxis) {
  TestModel model({1, 1, 10, 1}, 11);
  EXPECT_EQ(Only<Softmax>(model.Node("Softmax", {"x"}, "y").Output("y")).axis, 1);
}

TEST(ImportOperators, LocalResponseNorms) {
  TestModel model = Image();
  model.Node("LRN", {"x"}, "y", {{"size", {5}}}).With("alpha", 0.5F).With("bias", 2.0F);
  const auto body = Only<LocalResponseNorm>(model.Output("y"));
  EXPECT_EQ(body.size, 5);
  EXPECT_EQ(body.alpha, 0.5F);
  EXPECT_EQ(body.beta, 0.75F);
  EXPECT_EQ(body.bias, 2.0F);
}

TEST(ImportOperators, DropoutsAndTheLikeVanish) {
  TestModel model = Image();
  model.Node("Relu", {"x"}, "r").Node("Dropout", {"r"}, "d").Node("Identity", {"d"}, "i");
  model.Node("Cast", {"i"}, "y", {{"to", {onnx::TensorProto::FLOAT}}}).Output("y");
  const OperatorGraph graph = ImportGraph(model);
  EXPECT_THAT(graph.operators, SizeIs(1));
  EXPECT_EQ(graph.outputs[0], graph.operators[0].output);
  EXPECT_EQ(graph.tensors[graph.outputs[0]].name, "y");
}

TEST(ImportOperators, EachOperatorComesAfterWhatItReads) {
  TestModel model = Image();
  model.Node("Relu", {"x"}, "a").Node("Tanh", {"x"}, "b").Node("Add", {"a", "b"}, "y").Output("y");
  const OperatorGraph graph = ImportGraph(model);
  EXPECT_THAT(graph.operators[0].inputs, ElementsAre(graph.inputs[0]));
  EXPECT_THAT(graph.operators[1].inputs, ElementsAre(graph.inputs[0]));
  EXPECT_THAT(graph.operators[2].inputs,
              ElementsAre(graph.operators[0].output, graph.operators[1].output));
  EXPECT_THAT(graph.operators[2].then, IsEmpty());
}

// ---- Types ---------------------------------------------------------------------------------

TEST(OperatorImport, TypesOfInputsAndOutputsAreKept) {
  TestModel model = Image();
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::UINT8);
  model.Node("Cast", {"x"}, "f", {{"to", {onnx::TensorProto::FLOAT}}});
  model.Node("Relu", {"f"}, "r");
  model.Node("Cast", {"r"}, "y", {{"to", {onnx::TensorProto::INT64}}});
  const OperatorGraph graph = ImportGraph(model.Output("y"));
  EXPECT_EQ(graph.operators.size(), 1U);  // casts are the hands' work
  EXPECT_EQ(graph.tensors[graph.inputs.at(0)].element, ElementType::kUint8);
  EXPECT_EQ(graph.tensors[graph.outputs.at(0)].element, ElementType::kInt64);
}

TEST(OperatorImport, HalvesAreComputedAsFloats) {
  TestModel model = Image();
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::FLOAT16);
  model.Node("Relu", {"x"}, "y");
  const OperatorGraph graph = ImportGraph(model.Output("y"));
  EXPECT_EQ(graph.tensors[graph.inputs.at(0)].element, ElementType::kFp16);
  EXPECT_EQ(graph.tensors[graph.outputs.at(0)].element, ElementType::kFp16);
}

}  // namespace
}  // namespace fairlead
