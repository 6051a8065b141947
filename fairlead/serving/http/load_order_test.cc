#include "fairlead/serving/http/load_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using testing::HasSubstr;

std::string Complaint(std::string_view body) {
  const auto order = DecodeOrder("net", body);
  return order.has_value() ? "" : order.error().message;
}

TEST(LoadOrder, ABodyIsNotNeeded) {
  for (const char* const body : {"", "{}", R"({"parameters":{}})", R"({"other":[1]})",
                                 R"({"parameters":{"config":"{}"}})"}) {
    const auto order = DecodeOrder("net", body);
    ASSERT_TRUE(order.has_value()) << body;
    EXPECT_EQ(order->name, "net");
    EXPECT_FALSE(order->file.has_value());
  }
}

TEST(LoadOrder, TheHighestVersionCounts) {
  const auto order =
      DecodeOrder("net", R"({"parameters":{"file:2/model.onnx":"dHdv","file:1/model.onnx":"b25l",)"
                         R"("config":"{\"name\":\"net\"}"}})");
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->file, "two");
}

TEST(LoadOrder, SaysWhatIsWrong) {
  EXPECT_THAT(Complaint("["), HasSubstr("at byte"));
  EXPECT_THAT(Complaint(R"({"parameters":1})"), HasSubstr("at byte"));
  EXPECT_THAT(Complaint(R"({"parameters":{"config":{}}})"), HasSubstr("at byte"));
  EXPECT_THAT(Complaint(R"({"parameters":{"config":"{"}})"), HasSubstr("'config'"));
  EXPECT_THAT(Complaint(R"({"parameters":{"color":"red"}})"), HasSubstr("unknown parameter"));
  EXPECT_THAT(Complaint(R"({"parameters":{"file:1/model.onnx":"b25l"}})"),
              HasSubstr("'config' beside them"));
  for (const char* const path : {"file:", "file:model.onnx", "file:x/model.onnx",
                                 "file:-1/model.onnx", "file:1/model.pt", "file:1/../model.onnx"})
    EXPECT_THAT(Complaint(std::string(R"({"parameters":{"config":"{}",")") + path + R"(":""}})"),
                HasSubstr("expected a file such as"))
        << path;
  EXPECT_THAT(Complaint(R"({"parameters":{"config":"{}","file:1/model.onnx":"b?"}})"),
              HasSubstr("not base64"));
}

TEST(LoadOrder, Base64) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("TQ=="), "M");
  EXPECT_EQ(DecodeBase64("TWE"), "Ma");
  EXPECT_EQ(DecodeBase64("TWFu"), "Man");
  EXPECT_EQ(DecodeBase64("+/+/"), "\xFB\xFF\xBF");
  EXPECT_FALSE(DecodeBase64("T").has_value());
  EXPECT_FALSE(DecodeBase64("TW=u").has_value());
}

}  // namespace
}  // namespace fairlead
