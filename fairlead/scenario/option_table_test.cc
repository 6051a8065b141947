#include "fairlead/scenario/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace fairlead {
namespace {

using ::testing::ElementsAre;

enum class Colour : std::uint8_t { kRed, kGreen };

struct Options {
  Colour colour = Colour::kGreen;
  double factor = 1.5;
  std::size_t count = 64;
  Duration delay = std::chrono::milliseconds{11};
};

OptionTable TableOf(Options& options) {
  return {WordOption("colour", "of the thing", options.colour,
                     {{"red", Colour::kRed}, {"green", Colour::kGreen}}),
          NumberOption("factor", "how far", options.factor,
                       {.low = 1, .high = 10, .unlimited = "any"}, {"1", "any"}),
          CountOption("count", "how many", options.count, {.low = 1, .high = 99}, {"1", "64"}),
          DurationOption("delay", "how long", options.delay, std::chrono::hours{1}, {"none"})};
}

std::string ErrorOf(std::string_view text) {
  Options options;
  const Status status = SetOptions(TableOf(options), "thing x", text);
  return status.has_value() ? "" : status.error().message;
}

std::string Canonical(std::string_view text) {
  Options options;
  const OptionTable table = TableOf(options);
  EXPECT_TRUE(SetOptions(table, "thing x", text).has_value()) << text;
  return OptionsText(table);
}

TEST(OptionTable, SetsTheMembersOfTheStruct) {
  Options options;
  ASSERT_TRUE(SetOptions(TableOf(options), "x", "colour=red;factor=2.5;count=7;delay=2us"));
  EXPECT_EQ(options.colour, Colour::kRed);
  EXPECT_EQ(options.factor, 2.5);
  EXPECT_EQ(options.count, 7U);
  EXPECT_EQ(options.delay, std::chrono::microseconds{2});
}

TEST(OptionTable, HasWordsForInfinityAndForNoTime) {
  Options options;
  ASSERT_TRUE(SetOptions(TableOf(options), "x", "factor=any;delay=none"));
  EXPECT_EQ(options.factor, std::numeric_limits<double>::infinity());
  EXPECT_EQ(options.delay, Duration{});
}

TEST(OptionTable, TakesItsDefaultsFromTheStruct) {
  Options options;
  options.colour = Colour::kRed;
  options.delay = Duration{};
  const OptionTable table = TableOf(options);
  EXPECT_EQ(table[0].info.default_value, "red");
  EXPECT_EQ(table[1].info.default_value, "1.5");
  EXPECT_EQ(table[2].info.default_value, "64");
  EXPECT_EQ(table[3].info.default_value, "none");
}

TEST(OptionTable, SaysWhatMayBeWritten) {
  Options options;
  const OptionTable table = TableOf(options);
  EXPECT_EQ(table[0].info.values, "red|green");
  EXPECT_EQ(table[1].info.values, "1..10|any");
  EXPECT_EQ(table[2].info.values, "1..99");
  EXPECT_EQ(table[3].info.values, "none|1ns..1h");
}

TEST(OptionTable, SamplesHoldEveryWordAndTheDefault) {
  Options options;
  const OptionTable table = TableOf(options);
  EXPECT_THAT(table[0].info.samples, ElementsAre("red", "green"));
  EXPECT_THAT(table[1].info.samples, ElementsAre("1.5", "1", "any"));
  EXPECT_THAT(table[2].info.samples, ElementsAre("1", "64"));
  EXPECT_THAT(table[3].info.samples, ElementsAre("11ms", "none"));
}

TEST(OptionTable, WritesWhatIsNotTheDefaultInItsOwnOrder) {
  EXPECT_EQ(Canonical("delay=0ms;count=64;factor=2.50;colour=red"),
            "colour=red;factor=2.5;delay=none");
  EXPECT_EQ(Canonical("delay=1000us;factor=any"), "factor=any;delay=1ms");
  EXPECT_EQ(Canonical("delay=11000us;colour=green"), "");
}

TEST(OptionTable, ComplaintsNameTheNearestKey) {
  EXPECT_EQ(ErrorOf("colur=red"), "thing x has no option 'colur=red'; did you mean 'colour'?");
  EXPECT_EQ(ErrorOf("colour"), "option 'colour' of thing x has no value: write colour=...");
  EXPECT_EQ(ErrorOf("colour=red;colour=red"), "option 'colour' of thing x stands twice");
}

TEST(OptionTable, ComplaintsSayWhatWasExpected) {
  EXPECT_EQ(ErrorOf("colour=gren"),
            "option 'colour' of thing x cannot be 'gren'; did you mean 'green'?");
  const std::string number =
      "option 'factor' of thing x cannot be '{}'; expected a number from 1 to 10, or any";
  for (const char* wrong : {"0.9", "11", "nan", "inf", "", "1x"})
    EXPECT_EQ(ErrorOf(fmt::format("factor={}", wrong)), fmt::format(fmt::runtime(number), wrong));
  const std::string count =
      "option 'count' of thing x cannot be '{}'; expected a whole number from 1 to 99";
  for (const char* wrong : {"0", "-1", "100", "1.5", ""})
    EXPECT_EQ(ErrorOf(fmt::format("count={}", wrong)), fmt::format(fmt::runtime(count), wrong));
  const std::string time =
      "option 'delay' of thing x cannot be '{}'; expected none, or a time up to 1h such as 10ms";
  for (const char* wrong : {"5", "-1ms", "61min", "any", ""})
    EXPECT_EQ(ErrorOf(fmt::format("delay={}", wrong)), fmt::format(fmt::runtime(time), wrong));
}

}  // namespace
}  // namespace fairlead
