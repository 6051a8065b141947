// What surrounds the layers of a file: shapes that are computed, what nothing needs, names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/onnx/testing/imported_layers.h"
#include "fairlead/networks/onnx/testing/test_model.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  const ImportedNetwork imported = ImportLayers(model.Output("y"));
  EXPECT_EQ(imported.network.input, "3x8x8");
  EXPECT_EQ(imported.network.Parameters(), 108);
}

TEST(ImportOnnx, AFixedBatchIsKept) {
  TestModel model({8, 3, 8, 8});
  model.Weights("w", {4, 3, 3, 3}).Node("Conv", {"x", "w"}, "c").Node("Softmax", {"c"}, "y");
  const ImportedNetwork imported = ImportLayers(model.Output("y"));
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
  const ImportedNetwork imported = ImportLayers(model);
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
  const ImportedNetwork imported = ImportLayers(model.Output("y"));
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
  const ImportedNetwork imported = ImportLayers(model.Output("y"));
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
