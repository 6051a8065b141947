#include "fairlead/serving/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fairlead {
namespace {

using testing::HasSubstr;

TEST(JsonReaderTest, ReadsValuesOfAllKinds) {
  JsonReader reader(R"( {"a": [1, -2.5e3, true, null], "b": {"c": "x"}} )");
  std::string key;
  ASSERT_TRUE(reader.EnterObject());
  ASSERT_TRUE(reader.NextKey(key));
  EXPECT_EQ(key, "a");
  ASSERT_TRUE(reader.EnterList());
  std::int64_t one = 0;
  EXPECT_TRUE(reader.NextItem() && reader.TakeInteger(one));
  EXPECT_EQ(one, 1);
  std::string_view digits;
  EXPECT_TRUE(reader.NextItem() && reader.TakeNumber(digits));
  EXPECT_EQ(digits, "-2.5e3");
  bool flag = false;
  EXPECT_TRUE(reader.NextItem() && reader.TakeBool(flag));
  EXPECT_TRUE(flag);
  EXPECT_TRUE(reader.NextItem());
  EXPECT_EQ(reader.Next(), JsonReader::Kind::kNull);
  EXPECT_TRUE(reader.Skip());
  EXPECT_FALSE(reader.NextItem());
  ASSERT_TRUE(reader.NextKey(key));
  EXPECT_EQ(key, "b");
  const std::size_t begin = reader.position();
  EXPECT_TRUE(reader.Skip());
  EXPECT_EQ(reader.TextFrom(begin), R"({"c": "x"})");
  EXPECT_FALSE(reader.NextKey(key));
  EXPECT_TRUE(reader.Finish());
}

std::string TextIn(std::string_view json) {
  JsonReader reader(json);
  std::string text;
  reader.TakeText(text);
  reader.Finish();
  return reader.good() ? text : reader.status().error().message;
}

TEST(JsonReaderTest, UnderstandsEscapes) {
  EXPECT_EQ(TextIn(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(TextIn(R"("\u00e4\u20AC\ud83d\ude00")"), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_THAT(TextIn(R"("\ud83d")"), HasSubstr("first half of a pair"));
  EXPECT_THAT(TextIn(R"("\ud83dA")"), HasSubstr("first half of a pair"));
  EXPECT_THAT(TextIn(R"("\ude00")"), HasSubstr("second half of a pair"));
  EXPECT_THAT(TextIn(R"("\u12")"), HasSubstr("four hexadecimal"));
  EXPECT_THAT(TextIn(R"("\u+123")"), HasSubstr("four hexadecimal"));
  EXPECT_THAT(TextIn(R"("\x")"), HasSubstr("unknown escape"));
  EXPECT_THAT(TextIn("\"\xff\""), HasSubstr("no UTF-8"));
  EXPECT_THAT(TextIn("\"a\nb\""), HasSubstr("control character"));
  EXPECT_THAT(TextIn("\"abc"), HasSubstr("does not end"));
  EXPECT_THAT(TextIn("\"abc\\"), HasSubstr("does not end"));
}

bool IsJson(std::string_view text) {
  JsonReader reader(text);
  return reader.Skip() && reader.Finish();
}

TEST(JsonReaderTest, IsStrict) {
  for (const char* good : {"0", "-0", "1.5", "1e5", "1E-5", "[]", "{}", "[[],{}]", "null", "\"\"",
                           R"({"a":1,"a":2})", " \t\r\n[1 , 2] "})
    EXPECT_TRUE(IsJson(good)) << good;
  for (const char* bad :
       {"",     " ",    "01",    "+1",       ".5",        "1.",        "1e",
        "-",    "0x1",  "NaN",   "Infinity", "-Infinity", "nul",       "True",
        "[1,]", "[,1]", "[1 2]", "{\"a\"}",  "{\"a\":}",  "{a:1}",     "{\"a\":1,}",
        "[1",   "{",    "1 1",   "'a'",      "[1]]",      "{\"a\":1]", "// x\n1"})
    EXPECT_FALSE(IsJson(bad)) << bad;
}

TEST(JsonReaderTest, RefusesDeepNesting) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(IsJson(nested(JsonReader::kDeepest)));
  EXPECT_FALSE(IsJson(nested(JsonReader::kDeepest + 1)));
  EXPECT_FALSE(IsJson(std::string(8'000'000, '[')));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_FALSE(IsJson(objects));
}

TEST(JsonReaderTest, SaysWhere) {
  JsonReader reader("[1, x]", 100);
  EXPECT_FALSE(reader.Skip());
  EXPECT_THAT(reader.status().error().message, HasSubstr("at byte 104"));
}

TEST(JsonReaderTest, KnowsTheLimitsOfIntegers) {
  std::int64_t value = 0;
  EXPECT_TRUE(JsonReader("-9223372036854775808").TakeInteger(value));
  EXPECT_EQ(value, INT64_MIN);
  EXPECT_FALSE(JsonReader("9223372036854775808").TakeInteger(value));
  EXPECT_FALSE(JsonReader("1.0").TakeInteger(value));
  std::uint64_t natural = 0;
  EXPECT_TRUE(JsonReader("18446744073709551615").TakeUnsigned(natural));
  EXPECT_EQ(natural, UINT64_MAX);
  EXPECT_FALSE(JsonReader("-1").TakeUnsigned(natural));
}

}  // namespace
}  // namespace fairlead
