#include "fairlead/base/utc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using testing::HasSubstr;

TEST(UtcTest, WritesADateAndATime) {
  EXPECT_EQ(FormatUtc(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(FormatUtc(951'782'400'000'000'000), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(FormatUtc(1'798'761'599'999'999'999), "2026-12-31T23:59:59.999Z");
  EXPECT_EQ(FormatUtc(1'798'761'600'000'000'000), "2027-01-01T00:00:00.000Z");
}

TEST(UtcTest, ReadsWhatItWrote) {
  for (std::int64_t day = 0; day < 100'000; day += 17) {
    const std::int64_t at = day * 86'400'000'000'000 + day * 1'234'567'000'000 % 86'400'000'000'000;
    EXPECT_EQ(ParseUtc(FormatUtc(at)).value(), at);
  }
}

TEST(UtcTest, TakesLessThanAll) {
  const std::int64_t day = ParseUtc("2026-01-31").value();
  EXPECT_EQ(ParseUtc("2026-01-31 12:00").value() - day, 43'200'000'000'000);
  EXPECT_EQ(ParseUtc("2026-01-31T12:00:01Z").value() - day, 43'201'000'000'000);
  EXPECT_EQ(ParseUtc("2026-01-31T00:00:00.000000001Z").value() - day, 1);
}

TEST(UtcTest, RefusesWhatIsNoTime) {
  for (const char* const text :
       {"", "now", "2026", "2026-13-01", "2026-02-29", "2026-01-31T24:00", "2026-01-31T12",
        "2026-01-31T12:00:60", "2026-01-31T12:00:00.", "2026-01-31T12:00:00.1234567890Z",
        "2026-01-31T12:00+01:00", "2026-01-31T", "9999-01-01", "2026-01-31Z "}) {
    const auto time = ParseUtc(text);
    ASSERT_FALSE(time.has_value()) << text;
    EXPECT_THAT(time.error().message, HasSubstr("is no time"));
  }
}

}  // namespace
}  // namespace fairlead
