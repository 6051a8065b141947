#include "fairlead/serving/http/infer_codec.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

#include "fairlead/serving/http/json_tensor.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

Result<InferRequest> Decode(const std::string& body,
                            std::optional<std::string_view> header_length = {},
                            std::vector<TensorInfo> inputs = {}) {
  return DecodeInfer(std::make_shared<const std::string>(body), header_length, inputs);
}

std::string ErrorOf(const Result<InferRequest>& request) {
  return request.has_value() ? "no error" : request.error().message;
}

template <typename T>
std::vector<T> ValuesOf(const TensorData& tensor) {
  std::vector<T> values(tensor.data.bytes.size() / sizeof(T));
  std::memcpy(values.data(), tensor.data.bytes.data(), values.size() * sizeof(T));
  return values;
}

template <typename T>
TensorData TensorOf(std::string name, TensorType type, const std::vector<T>& values) {
  const auto kept = std::make_shared<std::vector<T>>(values);
  return {.info = {std::move(name), type, {static_cast<std::int64_t>(values.size())}},
          .data = {.owner = kept, .bytes = std::as_bytes(std::span(*kept))}};
}

TEST(DecodeInferTest, TakesTheExampleOfTheProtocol) {
  const auto request = Decode(R"({
    "id" : "42",
    "inputs" : [
      {"name" : "input0", "shape" : [ 2, 2 ], "datatype" : "UINT32", "data" : [ 1, 2, 3, 4 ]},
      {"name" : "input1", "shape" : [ 3 ], "datatype" : "BOOL", "data" : [ true ,false, 1 ]}
    ],
    "outputs" : [ { "name" : "output0" } ]
  })");
  ASSERT_TRUE(request.has_value()) << ErrorOf(request);
  EXPECT_EQ(request->id, "42");
  ASSERT_EQ(request->inputs.size(), 2U);
  EXPECT_EQ(request->inputs[0].info,
            (TensorInfo{.name = "input0", .type = TensorType::kUint32, .shape = {2, 2}}));
  EXPECT_THAT(ValuesOf<std::uint32_t>(request->inputs[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ValuesOf<std::uint8_t>(request->inputs[1]), ElementsAre(1, 0, 1));
  ASSERT_EQ(request->outputs.size(), 1U);
  EXPECT_EQ(request->outputs[0].name, "output0");
  EXPECT_EQ(request->timeout, std::nullopt);
}

TEST(DecodeInferTest, TakesListsInListsAndAnyOrderOfKeys) {
  const auto request = Decode(
      R"({"inputs":[{"data":[[1.5,-2],[3e2,0]],"datatype":"FP32","name":"x","shape":[2,2],
          "strange":{"a":[]}}],"more":1})");
  ASSERT_TRUE(request.has_value()) << ErrorOf(request);
  EXPECT_THAT(ValuesOf<float>(request->inputs[0]), ElementsAre(1.5F, -2.F, 300.F, 0.F));
}

TEST(DecodeInferTest, TakesParameters) {
  const auto request = Decode(
      R"({"parameters":{"timeout":2500,"priority":"3","binary_data_output":true,"other":[1]},
          "inputs":[{"name":"x","datatype":"INT8","shape":[1],"data":[-128]}],
          "outputs":[{"name":"y","parameters":{"binary_data":false}},{"name":"z"}]})");
  ASSERT_TRUE(request.has_value()) << ErrorOf(request);
  EXPECT_EQ(request->timeout, microseconds{2500});
  EXPECT_EQ(request->priority, 3);
  EXPECT_EQ(request->form, TensorForm::kBinary);
  EXPECT_EQ(request->outputs[0].form, TensorForm::kJson);
  EXPECT_EQ(request->outputs[1].form, std::nullopt);
  const auto without = Decode(
      R"({"parameters":{"timeout":0,"priority":0},
          "inputs":[{"name":"x","datatype":"INT8","shape":[1],"data":[1]}]})");
  EXPECT_EQ(without->timeout, std::nullopt);
  EXPECT_EQ(without->priority, std::nullopt);
}

TEST(DecodeInferTest, TakesNumbersThatAreLargerThanItKnows) {
  const auto request = Decode(
      R"({"parameters":{"timeout":18446744073709551615,"priority":18446744073709551615},
          "inputs":[{"name":"x","datatype":"INT8","shape":[1],"data":[1]}]})");
  ASSERT_TRUE(request.has_value()) << ErrorOf(request);
  EXPECT_EQ(request->timeout, kLongestTimeout);
  EXPECT_EQ(request->priority, std::numeric_limits<int>::max());
}

TEST(DecodeInferTest, TakesTensorsBehindTheJsonWithoutCopying) {
  const std::string json =
      R"({"inputs":[{"name":"x","datatype":"FP16","shape":[2],"parameters":{"binary_data_size":4}},
                    {"name":"y","datatype":"INT8","shape":[1],"data":[7]},
                    {"name":"z","datatype":"UINT8","shape":[3],"parameters":{"binary_data_size":3}}
         ]})";
  const auto body = std::make_shared<const std::string>(json + "abcd" + "xyz");
  const auto request = DecodeInfer(body, std::to_string(json.size()), {});
  ASSERT_TRUE(request.has_value()) << ErrorOf(request);
  const auto* const begin = reinterpret_cast<const std::byte*>(body->data());
  EXPECT_EQ(request->inputs[0].data.bytes.data(), begin + json.size());
  EXPECT_EQ(request->inputs[0].data.bytes.size(), 4U);
  EXPECT_EQ(request->inputs[2].data.bytes.data(), begin + json.size() + 4);
  EXPECT_EQ(request->inputs[2].data.bytes.size(), 3U);
}

TEST(DecodeInferTest, TakesABodyThatIsTheOnlyInput) {
  const TensorInfo fixed{.name = "x", .type = TensorType::kFp32, .shape = {1, 2}};
  const auto request = Decode("abcdefgh", "0", {fixed});
  ASSERT_TRUE(request.has_value()) << ErrorOf(request);
  EXPECT_EQ(request->inputs[0].info, fixed);
  EXPECT_EQ(request->inputs[0].data.bytes.size(), 8U);
  EXPECT_EQ(request->form, TensorForm::kBinary);
  const auto open =
      Decode("abcdefghabcdefgh", "0", {{.name = "x", .type = TensorType::kFp32, .shape = {-1, 2}}});
  EXPECT_THAT(open->inputs[0].info.shape, ElementsAre(2, 2));
  EXPECT_THAT(ErrorOf(Decode("abc", "0", {fixed})), HasSubstr("3 bytes, the network's input 8"));
  EXPECT_THAT(ErrorOf(Decode("abcdefgh", "0", {fixed, fixed})), HasSubstr("has 2"));
  EXPECT_THAT(ErrorOf(Decode("abcdefgh", "0", {{.name = "x", .type = TensorType::kBytes}})),
              HasSubstr("BYTES"));
  EXPECT_THAT(
      ErrorOf(Decode("abcdefg", "0", {{.name = "x", .type = TensorType::kFp32, .shape = {-1, 2}}})),
      HasSubstr("7 bytes, a sample of the network's input 8"));
}

TEST(DecodeInferTest, TakesTexts) {
  const auto request =
      Decode(R"({"inputs":[{"name":"x","datatype":"BYTES","shape":[2],"data":["ab","é"]}]})");
  ASSERT_TRUE(request.has_value()) << ErrorOf(request);
  const auto bytes = ValuesOf<char>(request->inputs[0]);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), std::string("\2\0\0\0ab\2\0\0\0\xc3\xa9", 12));
  const std::string json =
      R"({"inputs":[{"name":"x","datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":6}}
         ]})";
  EXPECT_TRUE(Decode(json + std::string("\2\0\0\0ab", 6), std::to_string(json.size())).has_value());
  EXPECT_THAT(ErrorOf(Decode(json + std::string("\3\0\0\0ab", 6), std::to_string(json.size()))),
              HasSubstr("not 1 texts"));
}

// One input with this in the place of its description.
std::string OneInput(std::string_view description) {
  return fmt::format(R"({{"inputs":[{{"name":"x",{}}}]}})", description);
}

TEST(DecodeInferTest, WhatIsNullIsNotThere) {
  const auto request = Decode(
      R"({"id":null,"parameters":null,"outputs":[{"name":"y","parameters":null}],
          "inputs":[{"name":"x","datatype":"INT8","shape":[1],"data":[1],"parameters":null}]})");
  ASSERT_TRUE(request.has_value()) << ErrorOf(request);
  EXPECT_EQ(request->id, std::nullopt);
  EXPECT_EQ(request->outputs[0].form, std::nullopt);
  const auto bare = Decode(
      R"({"parameters":{"timeout":null,"priority":null,"binary_data_output":null},"outputs":null,
          "inputs":[{"name":"x","datatype":"INT8","shape":[1],"data":[1],
                     "parameters":{"binary_data_size":null}}]})");
  ASSERT_TRUE(bare.has_value()) << ErrorOf(bare);
  EXPECT_TRUE(bare->outputs.empty());
  EXPECT_EQ(bare->timeout, std::nullopt);
  EXPECT_EQ(bare->form, TensorForm::kJson);
  EXPECT_THAT(ErrorOf(Decode(R"({"inputs":null})")), HasSubstr("'inputs' is missing"));
  EXPECT_THAT(ErrorOf(Decode(OneInput(R"("datatype":null,"shape":[1],"data":[1])"))),
              HasSubstr("'datatype' is missing"));
}

TEST(DecodeInferTest, SaysWhatIsWrong) {
  const auto error = [](std::string_view description) {
    return ErrorOf(Decode(OneInput(description)));
  };
  EXPECT_THAT(error(R"("datatype":"FP31","shape":[1],"data":[1])"), HasSubstr("'FP31'"));
  EXPECT_THAT(error(R"("shape":[1],"data":[1])"), HasSubstr("'datatype' is missing"));
  EXPECT_THAT(error(R"("datatype":"FP32","data":[1])"), HasSubstr("'shape' is missing"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1])"), HasSubstr("exactly one of"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[2],"data":[1])"),
              HasSubstr("1 elements, its shape 2"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1],"data":[1,2])"), HasSubstr("more elements"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[-1],"data":[1])"), HasSubstr("its shape"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1099511627776,1099511627776],"data":[1])"),
              HasSubstr("its shape"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1],"data":[NaN])"), HasSubstr("at byte"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1],"data":["NaN"])"),
              HasSubstr("expected a number"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1],"data":[1e39])"), HasSubstr("too large"));
  EXPECT_THAT(error(R"("datatype":"FP64","shape":[1],"data":[1e999])"), HasSubstr("too large"));
  EXPECT_THAT(error(R"("datatype":"FP16","shape":[1],"data":[1])"), HasSubstr("no form in JSON"));
  EXPECT_THAT(error(R"("datatype":"INT8","shape":[1],"data":[128])"), HasSubstr("-128 to 127"));
  EXPECT_THAT(error(R"("datatype":"UINT8","shape":[1],"data":[-1])"), HasSubstr("0 to 255"));
  EXPECT_THAT(error(R"("datatype":"INT64","shape":[1],"data":[1.5])"),
              HasSubstr("no whole number"));
  EXPECT_THAT(error(R"("datatype":"BOOL","shape":[1],"data":[2])"), HasSubstr("true, false"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1],"data":1)"), HasSubstr("expected a list"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":"1","data":[1])"), HasSubstr("expected a list"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1],"data":)" + std::string(100'000, '[')),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4})"),
              HasSubstr("0 bytes follow"));
  EXPECT_THAT(error(R"("datatype":"FP32","shape":[1],"parameters":{"shared_memory_region":"a"})"),
              HasSubstr("shared memory"));
  EXPECT_THAT(ErrorOf(Decode("")), HasSubstr("expected an object"));
  EXPECT_THAT(ErrorOf(Decode("[]")), HasSubstr("expected an object"));
  EXPECT_THAT(ErrorOf(Decode("{}")), HasSubstr("'inputs' is missing"));
  EXPECT_THAT(ErrorOf(Decode(R"({"inputs":[]})")), HasSubstr("'inputs' is missing or empty"));
  EXPECT_THAT(ErrorOf(Decode(R"({"inputs":[],"inputs":[]})")), HasSubstr("stands twice"));
  EXPECT_THAT(ErrorOf(Decode(R"({"id":1})")), HasSubstr("expected a text"));
  EXPECT_THAT(ErrorOf(Decode(R"({"parameters":{"timeout":-1}})")), HasSubstr("timeout"));
  EXPECT_THAT(ErrorOf(Decode(R"({"parameters":{"timeout":"soon"}})")), HasSubstr("whole number"));
  EXPECT_THAT(ErrorOf(Decode(R"({"parameters":{"timeout":25001462500146933.6}})")),
              HasSubstr("whole number"));
  EXPECT_THAT(ErrorOf(Decode(R"({"outputs":[{}]})")), HasSubstr("without a name"));
  EXPECT_THAT(ErrorOf(Decode(R"({"outputs":[{"name":"y","parameters":{"classification":-3}}]})")),
              HasSubstr("whole number from 0"));
}

TEST(DecodeInferTest, RefusesBadLengths) {
  const std::string json =
      OneInput(R"("datatype":"UINT8","shape":[4],"parameters":{"binary_data_size":4})");
  const std::string length = std::to_string(json.size());
  EXPECT_TRUE(Decode(json + "abcd", length).has_value());
  EXPECT_THAT(ErrorOf(Decode(json + "abc", length)), HasSubstr("3 bytes follow"));
  EXPECT_THAT(ErrorOf(Decode(json + "abcde", length)), HasSubstr("1 bytes follow that no input"));
  for (const char* wrong : {"-1", "x", "", "99999", "1e2", "18446744073709551616"})
    EXPECT_THAT(ErrorOf(Decode(json + "abcd", wrong)), HasSubstr("is no number of bytes"));
  const std::string other =
      OneInput(R"("datatype":"FP32","shape":[2],"parameters":{"binary_data_size":4})");
  EXPECT_THAT(ErrorOf(Decode(other + "abcd", std::to_string(other.size()))),
              HasSubstr("2 elements of FP32 have 8 bytes"));
}

TEST(EncodeInferTest, WritesJson) {
  InferRequest request;
  request.id = "a\"b";
  InferenceAnswer answer;
  answer.outputs = {TensorOf<float>("p", TensorType::kFp32, {0.1F, -3.F, 1e-20F}),
                    TensorOf<std::int64_t>("q", TensorType::kInt64, {INT64_MIN}),
                    TensorOf<std::uint8_t>("r", TensorType::kBool, {0, 1}),
                    TensorOf<char>("s", TensorType::kBytes, {2, 0, 0, 0, 'a', '"'})};
  answer.outputs[3].info.shape = {1};
  const auto reply = EncodeInfer(request, "net", answer);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->body,
            R"({"model_name":"net","model_version":"1","id":"a\"b","outputs":[)"
            R"({"name":"p","datatype":"FP32","shape":[3],"data":[0.1,-3,1e-20]},)"
            R"({"name":"q","datatype":"INT64","shape":[1],"data":[-9223372036854775808]},)"
            R"({"name":"r","datatype":"BOOL","shape":[2],"data":[false,true]},)"
            R"({"name":"s","datatype":"BYTES","shape":[1],"data":["a\""]}]})");
  EXPECT_EQ(reply->content_type, "application/json");
  EXPECT_TRUE(reply->tail.empty());
}

TEST(EncodeInferTest, PutsTensorsBehindTheJsonWithoutCopying) {
  InferRequest request;
  request.form = TensorForm::kBinary;
  request.outputs = {{.name = "q", .form = TensorForm::kJson}};
  InferenceAnswer answer;
  answer.outputs = {TensorOf<float>("p", TensorType::kFp32, {1, 2}),
                    TensorOf<std::int8_t>("q", TensorType::kInt8, {-7})};
  const auto reply = EncodeInfer(request, "net", answer);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->body,
            R"({"model_name":"net","model_version":"1","outputs":[)"
            R"({"name":"p","datatype":"FP32","shape":[2],"parameters":{"binary_data_size":8}},)"
            R"({"name":"q","datatype":"INT8","shape":[1],"data":[-7]}]})");
  EXPECT_EQ(reply->content_type, "application/octet-stream");
  ASSERT_EQ(reply->headers.size(), 1U);
  EXPECT_EQ(reply->headers[0].name, kHeaderLength);
  EXPECT_EQ(reply->headers[0].value, std::to_string(reply->body.size()));
  ASSERT_EQ(reply->tail.size(), 1U);
  EXPECT_EQ(reply->tail[0].bytes.data(), answer.outputs[0].data.bytes.data());
}

TEST(EncodeInferTest, WritesClassesInPlaceOfScores) {
  const auto scores = std::make_shared<const std::vector<float>>(std::vector<float>{1, 5, 10, 4});
  InferenceAnswer answer;
  answer.outputs.push_back({.info = {.name = "y", .type = TensorType::kFp32, .shape = {2, 2}},
                            .data = {.owner = scores, .bytes = std::as_bytes(std::span(*scores))}});
  InferRequest request;
  request.outputs = {{.name = "y", .form = std::nullopt, .classes = 1}};
  request.stacked = true;
  EXPECT_THAT(EncodeInfer(request, "net", answer)->body,
              HasSubstr(R"("datatype":"BYTES","shape":[2,1],"data":["5:1","10:0"])"));
  request.stacked = false;
  request.form = TensorForm::kBinary;
  const auto reply = EncodeInfer(request, "net", answer);
  EXPECT_THAT(reply->body, HasSubstr(R"("shape":[1],"parameters":{"binary_data_size":8})"));
  EXPECT_EQ(reply->tail.at(0).bytes.size(), 8U);  // its length, and "10:2"
}

TEST(EncodeInferTest, CannotSayInJsonWhatIsNotFinite) {
  InferenceAnswer answer;
  answer.outputs = {TensorOf<float>("p", TensorType::kFp32, {std::bit_cast<float>(0x7FC00000)})};
  const auto reply = EncodeInfer({}, "net", answer);
  ASSERT_FALSE(reply.has_value());
  EXPECT_THAT(reply.error().message, HasSubstr("not finite"));
  InferRequest binary;
  binary.form = TensorForm::kBinary;
  EXPECT_TRUE(EncodeInfer(binary, "net", answer).has_value());
}

TEST(EncodeFailureTest, HasAStatusAReasonAndWhenToTryAgain) {
  const auto reply = EncodeFailure({.code = InferenceCode::kOverContract,
                                    .message = "over the contract",
                                    .retry_after = milliseconds{1200},
                                    .outputs = {}});
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.body, R"({"error":"over the contract"})");
  HttpRequest as_request;
  as_request.headers = reply.headers;
  EXPECT_EQ(as_request.Header(kReasonHeader), "over-contract");
  EXPECT_EQ(as_request.Header("Retry-After"), "2");
  EXPECT_EQ(as_request.Header("Retry-After-Ms"), "1200");
  const auto status = [](InferenceCode code) {
    return EncodeFailure({.code = code, .message = "", .retry_after = {}, .outputs = {}}).status;
  };
  EXPECT_EQ(status(InferenceCode::kMalformed), 400);
  EXPECT_EQ(status(InferenceCode::kNoNetwork), 404);
  EXPECT_EQ(status(InferenceCode::kNoAgreement), 404);
  EXPECT_EQ(status(InferenceCode::kNoCapacity), 503);
  EXPECT_EQ(status(InferenceCode::kDraining), 503);
  EXPECT_EQ(status(InferenceCode::kDeadlineUnreachable), 504);
  EXPECT_EQ(status(InferenceCode::kDeadlinePassed), 504);
  EXPECT_EQ(status(InferenceCode::kCancelled), 499);
  EXPECT_EQ(status(InferenceCode::kFailed), 500);
}

}  // namespace
}  // namespace fairlead
