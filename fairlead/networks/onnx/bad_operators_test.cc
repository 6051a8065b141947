// Files that ImportOperators refuses because no executor could carry them out, each with what it
// says. What ImportOnnx refuses is in bad_files_test.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/onnx/testing/test_model.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Complaint(std::string_view bytes) {
  const auto graph = ImportOperators("net.onnx", bytes, {.weights_seed = 1});
  return graph.has_value() ? "none" : graph.error().message;
}

std::string Complaint(const TestModel& model) { return Complaint(model.Bytes()); }

TestModel Image(std::int64_t batch = 1, std::int64_t opset = 13) {
  return TestModel({batch, 4, 9, 8}, opset);
}

// Of one operator that reads an image.
std::string ComplaintAbout(const std::string& type, const std::vector<TestAttribute>& attributes) {
  return Complaint(Image().Node(type, {"x"}, "y", attributes).Output("y"));
}

TEST(BadOperators, SomethingElse) {
  EXPECT_EQ(Complaint("horizon: 5s\n"), "net.onnx: is not an ONNX model, or is cut off");
}

TEST(BadOperators, CutOffAnywhere) {
  TestModel model({1, 2});
  model.Floats("w", {2, 2}, {1, 2, 3, 4}).Node("MatMul", {"x", "w"}, "y").Output("y");
  const std::string bytes = model.Bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(Complaint(std::string_view(bytes).substr(0, size)), StartsWith("net.onnx: "))
        << size;
  }
  EXPECT_EQ(Complaint(bytes), "none");
}

TEST(BadOperators, Unknown) {
  EXPECT_EQ(ComplaintAbout("Erf", {}),
            "net.onnx: node 'y' (Erf): no executor carries out this operator");
}

TEST(BadOperators, OfAnotherDomain) {
  TestModel model = Image();
  model.Node("Relu", {"x"}, "y").Output("y", {1, 4, 9, 8});
  model.graph().mutable_node(0)->set_domain("ours");
  EXPECT_THAT(Complaint(model), HasSubstr("no executor carries out this operator"));
}

TestModel WithInputOf(int type) {
  TestModel model = Image();
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  return model;
}

TEST(BadOperators, InputsThatAreNoNumbers) {
  EXPECT_EQ(Complaint(WithInputOf(onnx::TensorProto::STRING).Node("Relu", {"x"}, "y").Output("y")),
            "net.onnx: input 'x' has texts (STRING); expected numbers");
}

TEST(BadOperators, ComputingWithWholeNumbers) {
  for (int type : {onnx::TensorProto::UINT8, onnx::TensorProto::BOOL, onnx::TensorProto::INT64})
    EXPECT_THAT(Complaint(WithInputOf(type).Node("Relu", {"x"}, "y").Output("y")),
                HasSubstr("no executor does: convert them to floats first (Cast)"));
}

TEST(BadOperators, WholeNumbersThatAreReadAgain) {
  TestModel model = Image();
  model.Node("Relu", {"x"}, "r");
  model.Node("Cast", {"r"}, "c", {{"to", {onnx::TensorProto::INT32}}});
  model.Node("Cast", {"c"}, "y", {{"to", {onnx::TensorProto::FLOAT}}});
  EXPECT_THAT(Complaint(model.Output("y")), HasSubstr("converts to INT32, and others read that"));
}

TEST(BadOperators, AnOutputInTwoTypes) {
  TestModel model = Image();
  model.Node("Relu", {"x"}, "y").Output("y");
  model.Node("Cast", {"y"}, "z", {{"to", {onnx::TensorProto::INT32}}});
  EXPECT_THAT(Complaint(model.Output("z")),
              HasSubstr("output 'z' has the numbers of output 'y' in another type"));
}

TEST(BadOperators, InputsWithoutABatch) {
  TestModel model = Image();
  model.AddInput("z", {4, 9, 8}).Node("Add", {"x", "z"}, "y").Output("y");
  EXPECT_EQ(Complaint(model),
            "net.onnx: input 'z': has dimensions 4x9x8; expected the batch, 1, to come first");
}

TEST(BadOperators, OutputsThatAreInputs) {
  EXPECT_EQ(ComplaintAbout("Identity", {}), "net.onnx: output 'y' is an input, unchanged");
}

TEST(BadOperators, OutputsThatAreConstant) {
  EXPECT_EQ(ComplaintAbout("Shape", {}), "net.onnx: output 'y' does not depend on the input");
}

TEST(BadOperators, MoreOutputsThanOne) {
  TestModel model = Image();
  model.Node("MaxPool", {"x"}, "y", {{"kernel_shape", {2, 2}}}).AlsoWrites("where");
  EXPECT_THAT(Complaint(model.Output("y").Output("where")),
              HasSubstr("its output 'where' is read; no executor computes more than the first"));
}

TEST(BadOperators, AlongTheBatch) {
  const std::string complaint = "works along the batch, and so mixes inputs";
  EXPECT_THAT(ComplaintAbout("Concat", {{"axis", {0}}}), HasSubstr(complaint));
  EXPECT_THAT(ComplaintAbout("Split", {{"axis", {-4}}}), HasSubstr(complaint));
  EXPECT_THAT(ComplaintAbout("ReduceMean", {}), HasSubstr(complaint));
  EXPECT_THAT(ComplaintAbout("ReduceMax", {{"axes", {0, 1}}}), HasSubstr(complaint));
  EXPECT_THAT(ComplaintAbout("Softmax", {{"axis", {0}}}), HasSubstr(complaint));
  EXPECT_THAT(ComplaintAbout("Unsqueeze", {{"axes", {0, 1}}}), HasSubstr(complaint));
  EXPECT_THAT(
      Complaint(Image().Integers("axes", {0}).Node("Squeeze", {"x", "axes"}, "y").Output("y")),
      HasSubstr(complaint));
}

TEST(BadOperators, ATransposedBatch) {
  EXPECT_THAT(ComplaintAbout("Transpose", {{"perm", {1, 0, 2, 3}}}),
              HasSubstr("moves the batch to another place"));
  EXPECT_THAT(ComplaintAbout("Transpose", {}), HasSubstr("moves the batch to another place"));
}

TEST(BadOperators, AFlattenedBatch) {
  EXPECT_THAT(ComplaintAbout("Flatten", {{"axis", {0}}}), HasSubstr("joins the batch"));
}

TEST(BadOperators, AReshapedBatch) {
  TestModel model = Image(2);
  model.Integers("to", {4, -1}).Node("Reshape", {"x", "to"}, "y").Output("y");
  EXPECT_EQ(Complaint(model),
            "net.onnx: node 'y' (Reshape): has dimensions 4x144; expected the batch, 2, to come "
            "first");
}

TEST(BadOperators, ASqueezedBatch) {
  EXPECT_THAT(ComplaintAbout("Squeeze", {}), HasSubstr("expected the batch, 1, to come first"));
}

TEST(BadOperators, ASlicedBatch) {
  TestModel model = Image(2);
  model.Integers("starts", {1}).Integers("ends", {2});
  EXPECT_THAT(Complaint(model.Node("Slice", {"x", "starts", "ends"}, "y").Output("y")),
              HasSubstr("takes a part of the batch"));
}

TEST(BadOperators, AReversedBatch) {
  TestModel model = Image(2);
  model.Integers("starts", {-1})
      .Integers("ends", {-9})
      .Integers("axes", {0})
      .Integers("steps", {-1});
  EXPECT_THAT(
      Complaint(model.Node("Slice", {"x", "starts", "ends", "axes", "steps"}, "y").Output("y")),
      HasSubstr("takes a part of the batch"));
}

TEST(BadOperators, APaddedBatch) {
  TestModel model = Image();
  model.Integers("pads", {1, 0, 0, 0, 0, 0, 0, 0}).Node("Pad", {"x", "pads"}, "y").Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("pads the batch"));
}

TEST(BadOperators, ABatchThatMeetsSomethingElse) {
  TestModel model = Image();
  model.AddInput("z", {1, 8}).Node("Add", {"x", "z"}, "y").Output("y");
  EXPECT_EQ(Complaint(model),
            "net.onnx: node 'y' (Add): combines 'z' of 1x8 with 4 dimensions, and so its batch "
            "with something else");
}

TEST(BadOperators, AConstantForEachInput) {
  TestModel model = Image(2);
  model.Weights("k", {2, 4, 1, 1}).Node("Add", {"x", "k"}, "y").Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("which is different for each input of the batch"));
}

TEST(BadOperators, EarlyBroadcasts) {
  TestModel model({1, 8, 9, 8}, 6);
  model.Weights("k", {8}).Node("Add", {"x", "k"}, "y", {{"axis", {1}}, {"broadcast", {1}}});
  EXPECT_THAT(Complaint(model.Output("y")), HasSubstr("from an axis on, as before opset 7"));
}

TEST(BadOperators, WeightsThatAreComputed) {
  TestModel model({1, 3, 3, 3});
  model.Node("Relu", {"x"}, "w").Node("Conv", {"x", "w"}, "y").Output("y");
  EXPECT_EQ(Complaint(model),
            "net.onnx: node 'y' (Conv): takes its weights from 'w', which is computed; no executor "
            "carries that out");
}

TEST(BadOperators, ProductsOfResults) {
  TestModel model({1, 3, 3});
  model.Node("Relu", {"x"}, "r").Node("MatMul", {"x", "r"}, "y").Output("y");
  EXPECT_THAT(Complaint(model),
              HasSubstr("no executor carries that out unless the second is weights"));
}

TEST(BadOperators, ProductsWithSeveralMatrices) {
  TestModel model({1, 2, 3, 3});
  model.Weights("w", {2, 3, 3}).Node("MatMul", {"x", "w"}, "y").Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("multiplies by several matrices, 2x3x3"));
}

TEST(BadOperators, GemmThatTransposesItsInput) {
  TestModel model({3, 3});
  model.Weights("w", {3, 3}).Node("Gemm", {"x", "w"}, "y", {{"transA", {1}}}).Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("transposes its input (transA)"));
}

TEST(BadOperators, GemmThatAddsAMatrix) {
  TestModel model({3, 3});
  model.Weights("w", {3, 3}).Weights("c", {3, 3}).Node("Gemm", {"x", "w", "c"}, "y").Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("adds 3x3; expected a number for each of 3 outputs"));
}

TEST(BadOperators, ABiasThatDoesNotFit) {
  TestModel model = Image();
  model.Weights("w", {2, 4, 1, 1}).Weights("b", {3}).Node("Conv", {"x", "w", "b"}, "y");
  EXPECT_THAT(Complaint(model.Output("y")), HasSubstr("has a bias of 3; expected 2"));
}

TEST(BadOperators, ImagesOfOtherRank) {
  TestModel model({1, 4, 9});
  model.Weights("w", {2, 4, 3}).Node("Conv", {"x", "w"}, "y").Output("y");
  EXPECT_THAT(Complaint(model),
              HasSubstr("has an input of 1x4x9; expected batch x channels x height x width"));
}

TEST(BadOperators, UnknownAutoPads) {
  TestModel model = Image();
  model.Weights("w", {2, 4, 1, 1}).Node("Conv", {"x", "w"}, "y").With("auto_pad", "SAME");
  EXPECT_THAT(Complaint(model.Output("y")), HasSubstr("has 'auto_pad' SAME; expected NOTSET"));
}

TEST(BadOperators, HugePaddingOfOutputs) {
  TestModel model = Image();
  model.Weights("w", {4, 2, 3, 3})
      .Node("ConvTranspose", {"x", "w"}, "y",
            {{"output_padding", {std::numeric_limits<std::int64_t>::max(), 0}},
             {"output_shape", {20, 20}}});
  EXPECT_THAT(Complaint(model.Output("y")), HasSubstr("has 'output_padding'"));
}

// PyTorch and ONNX do not count what lies beyond the declared padding.
TEST(BadOperators, PaddingThatIsCountedInPart) {
  EXPECT_THAT(ComplaintAbout("AveragePool", {{"kernel_shape", {3, 3}},
                                             {"strides", {2, 2}},
                                             {"ceil_mode", {1}},
                                             {"count_include_pad", {1}}}),
              HasSubstr("its last window reaches beyond that (ceil_mode)"));
}

TEST(BadOperators, PoolsOfPaddingAlone) {
  EXPECT_THAT(ComplaintAbout("MaxPool", {{"kernel_shape", {2, 2}}, {"pads", {2, 2, 0, 0}}}),
              HasSubstr("has windows with nothing but padding"));
}

TEST(BadOperators, BatchNormsInTraining) {
  TestModel model = Image();
  for (const char* name : {"s", "b", "m", "v"}) model.Weights(name, {4});
  model.Node("BatchNormalization", {"x", "s", "b", "m", "v"}, "y", {{"training_mode", {1}}});
  EXPECT_THAT(Complaint(model.Output("y")), HasSubstr("export for inference"));
}

TEST(BadOperators, BatchNormsThatDoNotFit) {
  TestModel model = Image();
  for (const char* name : {"s", "b", "m", "v"}) model.Weights(name, {5});
  model.Node("BatchNormalization", {"x", "s", "b", "m", "v"}, "y").Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("has weights of 5 for 4 channels"));
}

TEST(BadOperators, NegativeVariances) {
  TestModel model({1, 1, 2, 2});
  for (const char* name : {"s", "b", "m"}) model.Floats(name, {1}, {1});
  model.Floats("v", {1}, {-1}).Node("BatchNormalization", {"x", "s", "b", "m", "v"}, "y");
  EXPECT_THAT(Complaint(model.Output("y")), HasSubstr("has a variance of -0.99"));
}

TEST(BadOperators, SlopesForEachChannel) {
  TestModel model = Image();
  model.Weights("slope", {4, 1, 1}).Node("PRelu", {"x", "slope"}, "y").Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("has slopes of 4x1x1"));
}

TEST(BadOperators, ClipsToNothing) {
  TestModel model = Image();
  model.Floats("low", {}, {2}).Floats("high", {}, {1}).Node("Clip", {"x", "low", "high"}, "y");
  EXPECT_THAT(Complaint(model.Output("y")), HasSubstr("clips to [2, 1]"));
}

TEST(BadOperators, ClipsThatAreNotKnown) {
  TestModel model = Image();
  model.Weights("low", {}).Node("Clip", {"x", "low"}, "y").Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("has a 'min' that is not one number in the file"));
}

TEST(BadOperators, OtherTypes) {
  EXPECT_THAT(ComplaintAbout("Cast", {{"to", {onnx::TensorProto::STRING}}}),
              HasSubstr("converts to texts (STRING); expected numbers"));
}

TEST(BadOperators, EarlySoftmaxesOverSeveralDimensions) {
  EXPECT_THAT(Complaint(Image(1, 11).Node("Softmax", {"x"}, "y").Output("y")),
              HasSubstr("goes over several dimensions at once, as before opset 13"));
}

TEST(BadOperators, NormsOverAnEvenNumber) {
  EXPECT_THAT(ComplaintAbout("LRN", {{"size", {4}}}),
              HasSubstr("goes over 4 channels; expected an odd number"));
}

TEST(BadOperators, PadsByReflection) {
  TestModel model = Image();
  model.Integers("pads", {0, 0, 1, 1, 0, 0, 1, 1}).Node("Pad", {"x", "pads"}, "y");
  EXPECT_THAT(Complaint(model.With("mode", "reflect").Output("y")),
              HasSubstr("pads by mode 'reflect'"));
}

TEST(BadOperators, NegativePads) {
  TestModel model = Image();
  model.Integers("pads", {0, 0, -1, 1, 0, 0, 1, 1}).Node("Pad", {"x", "pads"}, "y").Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("cuts off (negative pads)"));
}

std::string ComplaintAboutResize(const std::vector<float>& scales, const std::string& attribute,
                                 const std::string& value) {
  TestModel model = Image();
  model.Floats("scales", {4}, scales).Node("Resize", {"x", "", "scales"}, "y");
  return Complaint(model.With(attribute, value).Output("y"));
}

TEST(BadOperators, Resizes) {
  EXPECT_THAT(ComplaintAboutResize({1, 1, 2, 2}, "mode", "cubic"), HasSubstr("resizes by 'cubic'"));
  EXPECT_THAT(ComplaintAboutResize({1, 2, 2, 2}, "mode", "linear"),
              HasSubstr("expected other heights and widths only"));
  EXPECT_THAT(ComplaintAboutResize({1, 1, 1.5F, 2}, "mode", "linear"),
              HasSubstr("scales 9 by 1.5, which is no whole number"));
  EXPECT_THAT(ComplaintAboutResize({1, 1, 2, 2}, "nearest_mode", "simple"),
              HasSubstr("rounds by 'simple'"));
  EXPECT_THAT(
      ComplaintAboutResize({1, 1, 2, 2}, "coordinate_transformation_mode", "tf_crop_and_resize"),
      HasSubstr("places pixels by 'tf_crop_and_resize'"));
  EXPECT_THAT(ComplaintAboutResize({1, 1, 2, 1.0F / 8}, "coordinate_transformation_mode",
                                   "pytorch_half_pixel"),
              HasSubstr("resizes to a single pixel"));
}

// The file says what dimensions come out, but nothing says what to do.
TEST(BadOperators, ReshapesToWhatIsComputed) {
  TestModel model = Image();
  model.Node("TopK", {"x"}, "to").Node("Reshape", {"x", "to"}, "y").Output("y", {1, 288});
  EXPECT_THAT(Complaint(model), HasSubstr("no executor carries out this operator"));
  TestModel no_numbers = Image();
  no_numbers.Weights("to", {2}).Node("Reshape", {"x", "to"}, "y").Output("y", {1, 288});
  EXPECT_THAT(Complaint(no_numbers),
              HasSubstr("the dimensions of its result are not known before it runs"));
}

TEST(BadOperators, TooManyTensors) {
  TestModel model = Image();
  model.Node("Sum", std::vector<std::string>(60'000, "x"), "y").Output("y");
  EXPECT_THAT(Complaint(model), HasSubstr("the network has more than 50000 tensors"));
}

}  // namespace
}  // namespace fairlead
