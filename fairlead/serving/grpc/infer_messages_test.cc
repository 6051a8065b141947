#include "fairlead/serving/grpc/infer_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace fairlead {
namespace {

using inference::InferTensorContents;
using inference::ModelInferRequest;
using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<ModelInferRequest> RequestOf(std::string type, std::int64_t count) {
  auto request = std::make_shared<ModelInferRequest>();
  request->set_model_name("n");
  auto& input = *request->add_inputs();
  input.set_name("x");
  input.set_datatype(std::move(type));
  input.add_shape(count);
  return request;
}

std::string ErrorOf(const std::shared_ptr<ModelInferRequest>& request) {
  const auto call = CallOf(request);
  return call.has_value() ? "" : call.error().message;
}

template <typename Number>
std::vector<Number> NumbersOf(const TensorData& tensor) {
  std::vector<Number> numbers(tensor.data.bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), tensor.data.bytes.data(), tensor.data.bytes.size());
  return numbers;
}

// By field numbers, as other people's clients write it; none of our own description is used.
TEST(InferMessagesTest, HasTheNumbersOfTheProtocol) {
  const std::string message(
      "\x0a\x01n"  // 1: model_name
      "\x12\x01"
      "1"                                                // 2: model_version
      "\x1a\x02id"                                       // 3: id
      "\x22\x0e\x0a\x07timeout\x12\x03\x10\x88\x27"      // 4: parameters, int64_param 5000
      "\x2a\x0f\x0a\x01x\x12\x06UINT16\x1a\x02\x01\x02"  // 5: inputs
      "\x32\x03\x0a\x01y"                                // 6: outputs
      "\x3a\x04\x01\x00\x02\x00",                        // 7: raw_input_contents
      3 + 3 + 4 + 16 + 17 + 5 + 6);
  auto request = std::make_shared<ModelInferRequest>();
  ASSERT_TRUE(request->ParseFromString(message));
  const auto call = CallOf(request);
  ASSERT_TRUE(call.has_value()) << call.error().message;
  EXPECT_EQ(call->network, "n");
  EXPECT_EQ(call->timeout, std::chrono::milliseconds{5});
  EXPECT_THAT(call->outputs, ElementsAre("y"));
  EXPECT_THAT(call->inputs[0].info.shape, ElementsAre(1, 2));
  EXPECT_THAT(NumbersOf<std::uint16_t>(call->inputs[0]), ElementsAre(1, 2));

  InferenceAnswer answer;
  answer.outputs = call->inputs;
  answer.outputs[0].info.name = "y";
  inference::ModelInferResponse response;
  WriteAnswer(*request, answer, false, response);
  EXPECT_EQ(response.SerializeAsString(),
            std::string("\x0a\x01n\x12\x01"
                        "1\x1a\x02id"
                        "\x2a\x0f\x0a\x01y\x12\x06UINT16\x1a\x02\x01\x02"
                        "\x32\x04\x01\x00\x02\x00",
                        3 + 3 + 4 + 17 + 6));
}

TEST(InferMessagesTest, TakesNumbersOfEveryType) {
  const auto numbers_of = [](const std::string& type, auto fill) {
    const auto request = RequestOf(type, 2);
    fill(*request->mutable_inputs(0)->mutable_contents());
    const auto call = CallOf(request);
    EXPECT_TRUE(call.has_value()) << call.error().message;
    inference::ModelInferResponse response;
    InferenceAnswer answer;
    answer.outputs = call->inputs;
    WriteAnswer(*request, answer, false, response);  // and back
    EXPECT_EQ(response.outputs(0).contents().SerializeAsString(),
              request->inputs(0).contents().SerializeAsString());
    return call->inputs[0];
  };
  using Contents = InferTensorContents;
  EXPECT_THAT(NumbersOf<std::uint8_t>(numbers_of("BOOL",
                                                 [](Contents& c) {
                                                   c.add_bool_contents(true);
                                                   c.add_bool_contents(false);
                                                 })),
              ElementsAre(1, 0));
  const auto ints = [](Contents& c) {
    c.add_int_contents(-3);
    c.add_int_contents(100);
  };
  EXPECT_THAT(NumbersOf<std::int8_t>(numbers_of("INT8", ints)), ElementsAre(-3, 100));
  EXPECT_THAT(NumbersOf<std::int16_t>(numbers_of("INT16", ints)), ElementsAre(-3, 100));
  EXPECT_THAT(NumbersOf<std::int32_t>(numbers_of("INT32", ints)), ElementsAre(-3, 100));
  const auto unsigned_ints = [](Contents& c) {
    c.add_uint_contents(3);
    c.add_uint_contents(200);
  };
  EXPECT_THAT(NumbersOf<std::uint8_t>(numbers_of("UINT8", unsigned_ints)), ElementsAre(3, 200));
  EXPECT_THAT(NumbersOf<std::uint16_t>(numbers_of("UINT16", unsigned_ints)), ElementsAre(3, 200));
  EXPECT_THAT(NumbersOf<std::uint32_t>(numbers_of("UINT32", unsigned_ints)), ElementsAre(3, 200));
  EXPECT_THAT(NumbersOf<std::int64_t>(numbers_of("INT64",
                                                 [](Contents& c) {
                                                   c.add_int64_contents(-5);
                                                   c.add_int64_contents(6);
                                                 })),
              ElementsAre(-5, 6));
  EXPECT_THAT(NumbersOf<std::uint64_t>(numbers_of("UINT64",
                                                  [](Contents& c) {
                                                    c.add_uint64_contents(5);
                                                    c.add_uint64_contents(6);
                                                  })),
              ElementsAre(5, 6));
  EXPECT_THAT(NumbersOf<double>(numbers_of("FP64",
                                           [](Contents& c) {
                                             c.add_fp64_contents(0.5);
                                             c.add_fp64_contents(6);
                                           })),
              ElementsAre(0.5, 6));
}

TEST(InferMessagesTest, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorOf(RequestOf("FP99", 1)), HasSubstr("unknown datatype 'FP99'"));
  EXPECT_THAT(ErrorOf(RequestOf("FP32", -1)), HasSubstr("no number of elements"));
  EXPECT_THAT(ErrorOf(RequestOf("FP16", 1)), HasSubstr("FP16 needs raw_input_contents"));
  EXPECT_THAT(ErrorOf(RequestOf("FP32", 1)), HasSubstr("it has 0 bytes"));
  auto request = RequestOf("INT8", 1);
  request->mutable_inputs(0)->mutable_contents()->add_int_contents(200);
  EXPECT_THAT(ErrorOf(request), HasSubstr("200 is out of its type's range"));
  request = RequestOf("UINT8", 1);
  request->add_raw_input_contents("ab");
  EXPECT_THAT(ErrorOf(request), HasSubstr("it has 2 bytes, and 1 elements of UINT8 have 1"));
  request->add_raw_input_contents("c");
  EXPECT_THAT(ErrorOf(request), HasSubstr("1 inputs, and 2 raw_input_contents"));
  request = RequestOf("UINT8", 1);
  request->add_raw_input_contents("a");
  EXPECT_EQ(ErrorOf(request), "");
  request->mutable_inputs(0)->mutable_contents()->add_uint_contents(1);
  EXPECT_THAT(ErrorOf(request), HasSubstr("beside raw_input_contents"));
  request->mutable_inputs(0)->clear_contents();
  (*request->mutable_parameters())["timeout"].set_string_param("soon");
  EXPECT_THAT(ErrorOf(request), HasSubstr("'timeout' is not a whole number"));
  (*request->mutable_parameters())["timeout"].set_int64_param(-1);
  EXPECT_THAT(ErrorOf(request), HasSubstr("'timeout' is not a whole number from 0"));
  request->clear_parameters();
  (*request->mutable_parameters())["timeout"].set_uint64_param(~std::uint64_t{0});
  (*request->mutable_parameters())["priority"].set_uint64_param(~std::uint64_t{0});
  EXPECT_EQ(CallOf(request)->timeout, kLongestTimeout);
  EXPECT_EQ(CallOf(request)->priority, std::numeric_limits<int>::max());
  request->clear_parameters();
  (*request->mutable_inputs(0)->mutable_parameters())["shared_memory_region"].set_string_param("r");
  request->clear_raw_input_contents();
  EXPECT_THAT(ErrorOf(request), HasSubstr("shared memory is not supported"));
}

}  // namespace
}  // namespace fairlead
