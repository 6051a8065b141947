#include "fairlead/base/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kLongest = std::int64_t{1} << 62;

// The value in nanoseconds or bytes, or -1: quantities are never negative.
std::int64_t Time(std::string_view text) {
  const auto parsed = ParseDuration(text);
  return parsed ? parsed->count() : -1;
}
std::int64_t Bandwidth(std::string_view text) { return ParseBandwidth(text).value_or(-1); }

template <typename T>
std::string Message(const Result<T>& result) {
  return result ? "no error" : result.error().message;
}

struct Spelling {
  std::string text;
  std::int64_t value;
};

class Durations : public ::testing::TestWithParam<Spelling> {};

TEST_P(Durations, AreRead) { EXPECT_EQ(Time(GetParam().text), GetParam().value); }

INSTANTIATE_TEST_SUITE_P(AllUnits, Durations,
                         ::testing::Values(Spelling{"7ns", 7}, Spelling{"7us", 7'000},
                                           Spelling{"7µs", 7'000},  // micro sign
                                           Spelling{"7μs", 7'000},  // Greek letter
                                           Spelling{"7ms", 7'000'000},
                                           Spelling{"7s", 7'000'000'000},
                                           Spelling{"7min", 420'000'000'000},
                                           Spelling{"7h", 25'200'000'000'000}));

INSTANTIATE_TEST_SUITE_P(Spellings, Durations,
                         ::testing::Values(Spelling{"0s", 0}, Spelling{"-0s", 0},
                                           Spelling{"1.5ms", 1'500'000}, Spelling{".5us", 500},
                                           Spelling{"1e3us", 1'000'000},
                                           Spelling{" 5 ms\t", 5'000'000},
                                           Spelling{"0.1s", 100'000'000}));

INSTANTIATE_TEST_SUITE_P(Rounding, Durations,
                         ::testing::Values(Spelling{"0.4ns", 0}, Spelling{"0.6ns", 1},
                                           Spelling{"2.5ns", 3},  // half away from zero
                                           Spelling{"1.0004us", 1'000},
                                           Spelling{"1.0006us", 1'001}));

INSTANTIATE_TEST_SUITE_P(Huge, Durations,
                         ::testing::Values(
                             // Whole numbers are exact also where a double is not.
                             Spelling{"9007199254740993ns", 9'007'199'254'740'993},
                             Spelling{"4611686018427387904ns", kLongest},
                             Spelling{"4611686018427387903ns", kLongest - 1}));

class BadDurations : public ::testing::TestWithParam<std::array<std::string, 2>> {};

TEST_P(BadDurations, AreRefused) {
  EXPECT_EQ(Message(ParseDuration(GetParam()[0])), GetParam()[1]);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BadDurations,
    ::testing::Values(
        std::array<std::string, 2>{"", "'' is not a quantity; expected for example 5ms"},
        std::array<std::string, 2>{"ms", "'ms' is not a quantity; expected for example 5ms"},
        std::array<std::string, 2>{"nan ms",
                                   "'nan ms' is not a quantity; expected for example 5ms"},
        std::array<std::string, 2>{"inf s", "'inf s' is not a quantity; expected for example 5ms"},
        std::array<std::string, 2>{"1e999s",
                                   "'1e999s' is not a quantity; expected for example 5ms"},
        std::array<std::string, 2>{"5", "'5' lacks its unit; expected for example 5ms"},
        std::array<std::string, 2>{"0", "'0' lacks its unit; expected for example 5ms"},
        std::array<std::string, 2>{"5m", "unknown unit 'm' in '5m'; expected 5min or 5ms"},
        std::array<std::string, 2>{"5MS", "unknown unit 'MS' in '5MS'; expected for example 5ms"},
        std::array<std::string, 2>{"5ms 3us",
                                   "unknown unit 'ms 3us' in '5ms 3us'; expected for example 5ms"},
        std::array<std::string, 2>{"-5ms", "'-5ms' is negative"},
        std::array<std::string, 2>{"-0.4ns", "'-0.4ns' is negative"},
        std::array<std::string, 2>{"-9999999h", "'-9999999h' is negative"},
        std::array<std::string, 2>{"4611686018427387905ns", "'4611686018427387905ns' is too large"},
        std::array<std::string, 2>{"1300000h", "'1300000h' is too large"},
        std::array<std::string, 2>{"9223372036854775807h", "'9223372036854775807h' is too large"},
        std::array<std::string, 2>{"1e300h", "'1e300h' is too large"}));

class Bandwidths : public ::testing::TestWithParam<Spelling> {};

TEST_P(Bandwidths, AreRead) { EXPECT_EQ(Bandwidth(GetParam().text), GetParam().value); }

INSTANTIATE_TEST_SUITE_P(AllUnits, Bandwidths,
                         ::testing::Values(Spelling{"3B/s", 3}, Spelling{"3kB/s", 3'000},
                                           Spelling{"3MB/s", 3'000'000},
                                           Spelling{"3GB/s", 3'000'000'000},
                                           Spelling{"3TB/s", 3'000'000'000'000},
                                           Spelling{"0.5 GB/s", 500'000'000},
                                           Spelling{"1000TB/s", 1'000'000'000'000'000}));

TEST(ParseBandwidth, RefusesAMissingUnit) {
  EXPECT_EQ(Message(ParseBandwidth("16")), "'16' lacks its unit; expected for example 16GB/s");
}

TEST(ParseBandwidth, RefusesBytesThatAreNotPerSecond) {
  EXPECT_THAT(Message(ParseBandwidth("16GB")), HasSubstr("unknown unit 'GB'"));
}

TEST(ParseBandwidth, RefusesZero) {
  EXPECT_EQ(Message(ParseBandwidth("0GB/s")), "'0GB/s' is no bandwidth; leave it out for no limit");
}

TEST(ParseBandwidth, RefusesWhatRoundsToZero) {
  EXPECT_THAT(Message(ParseBandwidth("0.1B/s")), HasSubstr("is no bandwidth"));
}

TEST(ParseBandwidth, RefusesNegatives) {
  EXPECT_EQ(Message(ParseBandwidth("-1GB/s")), "'-1GB/s' is negative");
}

TEST(ParseBandwidth, RefusesTheAbsurd) {
  EXPECT_EQ(Message(ParseBandwidth("1001TB/s")), "'1001TB/s' is too large; at most 1000TB/s");
}

TEST(ParseRate, ReadsPercents) { EXPECT_DOUBLE_EQ(ParseRate("80%").value(), 0.8); }

TEST(ParseRate, ReadsFractions) { EXPECT_EQ(ParseRate("0.85").value(), 0.85); }

TEST(ParseRate, TakesBothEnds) {
  EXPECT_EQ(ParseRate("0").value(), 0);
  EXPECT_EQ(ParseRate("100%").value(), 1);
}

TEST(ParseRate, RefusesAPercentageWithoutItsSign) {
  EXPECT_EQ(Message(ParseRate("80")), "rate '80' is outside 0% to 100%; for percent write 80%");
}

TEST(ParseRate, RefusesMoreThanAll) {
  EXPECT_EQ(Message(ParseRate("100.1%")), "rate '100.1%' is outside 0% to 100%");
}

TEST(ParseRate, RefusesNegatives) {
  EXPECT_EQ(Message(ParseRate("-1%")), "rate '-1%' is outside 0% to 100%");
}

TEST(ParseRate, RefusesNotANumber) {
  EXPECT_THAT(Message(ParseRate("nan")), HasSubstr("not a quantity"));
}

TEST(ParseRate, RefusesOtherUnits) {
  EXPECT_EQ(Message(ParseRate("0.8 promille")),
            "'0.8 promille' is not a rate; expected for example 80%");
}

TEST(ParseNumber, ReadsDecimals) { EXPECT_EQ(ParseNumber("-2.5e-3").value(), -0.0025); }

TEST(ParseNumber, RefusesAUnit) { EXPECT_EQ(Message(ParseNumber("5ms")), "'5ms' is not a number"); }

TEST(ParseNumber, RefusesInfinity) {
  EXPECT_THAT(Message(ParseNumber("inf")), HasSubstr("not a quantity"));
}

TEST(ParseInteger, ReadsBothEnds) {
  EXPECT_EQ(ParseInteger("9223372036854775807").value(), INT64_MAX);
  EXPECT_EQ(ParseInteger("-9223372036854775808").value(), INT64_MIN);
}

TEST(ParseInteger, IgnoresBlanksAround) { EXPECT_EQ(ParseInteger(" 12\t").value(), 12); }

TEST(ParseInteger, RefusesOneMore) {
  EXPECT_EQ(Message(ParseInteger("9223372036854775808")), "'9223372036854775808' is out of range");
}

TEST(ParseInteger, RefusesFractions) {
  EXPECT_EQ(Message(ParseInteger("1.0")), "'1.0' is not a whole number");
}

TEST(ParseInteger, RefusesNothing) {
  EXPECT_EQ(Message(ParseInteger("")), "'' is not a whole number");
}

TEST(ParseInteger, RefusesOtherBases) {
  EXPECT_EQ(Message(ParseInteger("0x10")), "'0x10' is not a whole number");
}

struct Spelled {
  std::int64_t ns;
  std::string text;
};

class FormattedDurations : public ::testing::TestWithParam<Spelled> {};

TEST_P(FormattedDurations, AreShortAndExact) {
  EXPECT_EQ(FormatDuration(Duration{GetParam().ns}), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Units, FormattedDurations,
                         ::testing::Values(Spelled{0, "0ns"}, Spelled{1, "1ns"},
                                           Spelled{1'001, "1001ns"}, Spelled{1'500'000, "1500us"},
                                           Spelled{2'000'000, "2ms"},
                                           Spelled{59'000'000'000, "59s"},
                                           Spelled{5'400'000'000'000, "90min"},
                                           Spelled{7'200'000'000'000, "2h"}));

TEST(FormatDuration, IsReadBack) {
  RandomStream random(1, "durations");
  for (int i = 0; i < 10'000; ++i) {
    std::int64_t value = static_cast<std::int64_t>(random.Bits() >> (2 + random.Below(60)));
    if (random.Below(2) == 0) value -= value % 1'000'000;
    ASSERT_EQ(Time(FormatDuration(Duration{value})), value);
  }
}

TEST(FormatBandwidth, IsShortAndExact) { EXPECT_EQ(FormatBandwidth(16'500'000'000), "16500MB/s"); }

TEST(FormatBandwidth, IsReadBack) {
  RandomStream random(1, "bandwidths");
  for (int i = 0; i < 10'000; ++i) {
    const auto value = static_cast<std::int64_t>(1 + random.Below(1'000'000'000'000'000));
    ASSERT_EQ(Bandwidth(FormatBandwidth(value)), value);
  }
}

constexpr std::array<std::string_view, 3> kWords = {"proportional", "max-min", "none"};

TEST(Suggest, NamesTheClosestWord) {
  EXPECT_EQ(Suggest("maxmin", kWords), "; did you mean 'max-min'?");
}

TEST(Suggest, CountsInsertionsDeletionsAndSubstitutions) {
  EXPECT_EQ(Suggest("nome", kWords), "; did you mean 'none'?");
  EXPECT_EQ(Suggest("non", kWords), "; did you mean 'none'?");
  EXPECT_EQ(Suggest("nonee", kWords), "; did you mean 'none'?");
}

TEST(Suggest, AllowsTwoEdits) {
  EXPECT_EQ(Suggest("propotionel", kWords), "; did you mean 'proportional'?");
}

TEST(Suggest, ListsAllBeyondTwoEdits) {
  EXPECT_EQ(Suggest("fair", kWords), "; expected one of proportional, max-min, none");
}

TEST(Suggest, PrefersTheCloserWord) {
  constexpr std::array<std::string_view, 2> kNear = {"edf-hh", "edf-h"};
  EXPECT_EQ(Suggest("edf-g", kNear), "; did you mean 'edf-h'?");
}

TEST(Suggest, DoesNotReplaceAShortWordAltogether) {
  constexpr std::array<std::string_view, 1> kShort = {"k"};
  EXPECT_EQ(Suggest("x", kShort), "; expected one of k");
}

TEST(Suggest, DoesNotMeasureVeryLongWords) {
  EXPECT_EQ(Suggest(std::string(100'000, 'x'), kWords),
            "; expected one of proportional, max-min, none");
}

TEST(Suggest, ListsAFewOfVeryMany) {
  const std::vector<std::string_view> many(100, "resnet50");
  EXPECT_THAT(Suggest("x", many), HasSubstr(", resnet50, ... (100 in all)"));
}

TEST(Suggest, SaysNothingWithoutCandidates) { EXPECT_EQ(Suggest("x", {}), ""); }

}  // namespace
}  // namespace fairlead
