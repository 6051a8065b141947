#include "fairlead/base/printable.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

TEST(OnOneLine, KeepsWhatPeopleRead) {
  EXPECT_EQ(OnOneLine("böb 1€ 𝛼 \"x\""), "böb 1€ 𝛼 \"x\"");
  EXPECT_EQ(OnOneLine(""), "");
}

TEST(OnOneLine, ShowsTheBytesOfTheRest) {
  EXPECT_EQ(OnOneLine("a\x1b[2Jb\n"), "a\\x1b[2Jb\\x0a");
  EXPECT_EQ(OnOneLine("\x7f\xff"), "\\x7f\\xff");
  EXPECT_EQ(OnOneLine("\xc2\x9b"), "\\xc2\\x9b");           // a control sequence in one character
  EXPECT_EQ(OnOneLine("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(OnOneLine("\xc0\xaf"), "\\xc0\\xaf");           // a slash, the long way
  EXPECT_EQ(OnOneLine("\xe2\x82"), "\\xe2\\x82");           // cut off
}

TEST(WhyNoName, NamesArePrintableAndNoFormulas) {
  EXPECT_EQ(WhyNoName("tenant-1 (b=c)", 100), "");
  EXPECT_EQ(WhyNoName("ü", 2), "");
  EXPECT_EQ(WhyNoName("", 100), "is empty");
  EXPECT_EQ(WhyNoName("abc", 2), "is not a name of up to 2 printable characters");
  EXPECT_EQ(WhyNoName("a\nb", 100), "is not a name of up to 100 printable characters");
  EXPECT_EQ(WhyNoName("a\xff", 100), "is not a name of up to 100 printable characters");
  EXPECT_EQ(WhyNoName("=HYPERLINK(1)", 100), "is not a name: it begins with '=', like a formula");
  EXPECT_NE(WhyNoName("@x", 100), "");
}

}  // namespace
}  // namespace fairlead
