#include "fairlead/base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;

// Tables with the columns a and b, and perhaps c.
Result<CsvTable> Parse(std::string_view text) {
  return CsvTable::Parse("t.csv", text, {"a", "b"}, {"c"});
}

CsvTable Table(std::string_view text) {
  auto table = Parse(text);
  if (!table) throw std::runtime_error(table.error().message);
  return std::move(*table);
}

std::string ErrorOf(std::string_view text) {
  const auto table = Parse(text);
  return table ? "no error" : table.error().message;
}

template <typename T>
std::string ErrorOf(const Result<T>& result) {
  return result ? "no error" : result.error().message;
}

std::vector<std::string> Column(std::string_view text, std::string_view column) {
  const CsvTable table = Table(text);
  std::vector<std::string> values;
  for (std::size_t row = 0; row < table.rows(); ++row) values.emplace_back(table.Text(row, column));
  return values;
}

TEST(CsvTable, ReadsFieldsByColumn) {
  EXPECT_THAT(Column("a,b\n1,2\n3,4\n", "b"), ElementsAre("2", "4"));
}

TEST(CsvTable, TakesColumnsInAnyOrder) { EXPECT_THAT(Column("b,a\n1,2\n", "b"), ElementsAre("1")); }

TEST(CsvTable, NeedsNoLastLineEnd) {
  EXPECT_THAT(Column("a,b\n1,2\n3,4", "a"), ElementsAre("1", "3"));
}

TEST(CsvTable, TakesWindowsLineEnds) {
  EXPECT_THAT(Column("a,b\r\n1,2\r\n3,4\r\n", "b"), ElementsAre("2", "4"));
}

TEST(CsvTable, PassesOverAByteOrderMark) {
  EXPECT_THAT(Column("\xef\xbb\xbf"
                     "a,b\n1,2\n",
                     "a"),
              ElementsAre("1"));
}

TEST(CsvTable, PassesOverEmptyLinesAndComments) {
  EXPECT_THAT(Column("# made by hand\n\na,b\n1,2\r\n\r\n# half time\n3,4\n\n", "a"),
              ElementsAre("1", "3"));
}

TEST(CsvTable, MayHaveNoRows) { EXPECT_EQ(Table("a,b\n").rows(), 0); }

TEST(CsvTable, KeepsEmptyFields) {
  EXPECT_THAT(Column("a,b,c\n,,\n1,,\n", "c"), ElementsAre("", ""));
}

TEST(CsvTable, KeepsBlanks) { EXPECT_THAT(Column("a,b\n x ,2\n", "a"), ElementsAre(" x ")); }

TEST(CsvTable, QuotesKeepCommas) {
  EXPECT_THAT(Column("a,b\n\"1,5\",2\n", "a"), ElementsAre("1,5"));
}

TEST(CsvTable, TwoQuotesAreOne) {
  EXPECT_THAT(Column("a,b\n1,\"say \"\"hi\"\"\"\n", "b"), ElementsAre("say \"hi\""));
}

TEST(CsvTable, QuotedMayBeEmpty) { EXPECT_THAT(Column("a,b\n\"\",2\n", "a"), ElementsAre("")); }

TEST(CsvTable, QuotesInsideAFieldAreOrdinary) {
  EXPECT_THAT(Column("a,b\n5\" disk,2\n", "a"), ElementsAre("5\" disk"));
}

TEST(CsvTable, QuotedHeadersAreColumns) {
  EXPECT_THAT(Column("\"a\",\"b\"\n1,2\n", "b"), ElementsAre("2"));
}

TEST(CsvTable, KnowsWhichColumnsItHas) {
  EXPECT_TRUE(Table("a,b,c\n").Has("c"));
  EXPECT_FALSE(Table("a,b\n").Has("c"));
}

TEST(CsvTable, ReadsNothingFromAMissingOptionalColumn) {
  EXPECT_THAT(Column("a,b\n1,2\n", "c"), ElementsAre(""));
}

TEST(CsvTable, RefusesAShortRow) {
  EXPECT_EQ(ErrorOf("a,b\n1,2\n3\n"), "t.csv:3:1: 1 fields, but the header names 2 columns");
}

TEST(CsvTable, RefusesALongRow) {
  EXPECT_EQ(ErrorOf("a,b\n1,2,\n"), "t.csv:2:1: 3 fields, but the header names 2 columns");
}

TEST(CsvTable, RefusesAnUnknownColumn) {
  EXPECT_EQ(ErrorOf("a,b,delta\n"), "t.csv:1:5: unknown column 'delta'; expected one of a, b, c");
}

TEST(CsvTable, SuggestsTheColumnThatWasMeant) {
  const auto table = CsvTable::Parse("t.csv", "latency\n", {"latency_ns"}, {});
  EXPECT_EQ(ErrorOf(table), "t.csv:1:1: unknown column 'latency'; expected one of latency_ns");
  const auto close = CsvTable::Parse("t.csv", "latencyns\n", {"latency_ns"}, {});
  EXPECT_EQ(ErrorOf(close), "t.csv:1:1: unknown column 'latencyns'; did you mean 'latency_ns'?");
}

TEST(CsvTable, RefusesARepeatedColumn) {
  EXPECT_EQ(ErrorOf("a,b,a\n"), "t.csv:1:5: column 'a' stands twice");
}

TEST(CsvTable, RefusesAMissingColumn) {
  EXPECT_EQ(ErrorOf("a,c\n1,2\n"), "t.csv:1:1: column 'b' is missing");
}

TEST(CsvTable, CountsCommentsBeforeTheHeader) {
  EXPECT_EQ(ErrorOf("# x\n\na,c\n"), "t.csv:3:1: column 'b' is missing");
}

TEST(CsvTable, RefusesAnEmptyFile) {
  EXPECT_EQ(ErrorOf(""), "t.csv:1:1: no header row; expected columns such as 'a'");
}

TEST(CsvTable, RefusesAQuoteWithoutEnd) {
  EXPECT_EQ(ErrorOf("a,b\n1,\"2\n"), "t.csv:2:3: quoted field has no end");
}

TEST(CsvTable, RefusesTextAfterAQuote) {
  EXPECT_EQ(ErrorOf("a,b\n\"1\"x,2\n"), "t.csv:2:4: expected a comma after a quoted field");
}

TEST(CsvTable, WordReadsAField) { EXPECT_EQ(Table("a,b\nx,2\n").Word(0, "a").value(), "x"); }

TEST(CsvTable, WordRefusesAnEmptyField) {
  EXPECT_EQ(ErrorOf(Table("a,b\n1,2\n1,\n").Word(1, "b")), "t.csv:3:3: b is empty");
}

TEST(CsvTable, NameReadsAField) {
  EXPECT_EQ(Table("a,b\nr\u00e9seau 1,2\n").Name(0, "a").value(), "r\u00e9seau 1");
}

TEST(CsvTable, NameRefusesAnEmptyField) {
  EXPECT_EQ(ErrorOf(Table("a,b\n,2\n").Name(0, "a")), "t.csv:2:1: a is empty");
}

TEST(CsvTable, NameRefusesControlCharacters) {
  EXPECT_EQ(ErrorOf(Table("a,b\n1,x\ty\n").Name(0, "b")),
            "t.csv:2:3: b is not a name of up to 200 printable characters");
}

TEST(CsvTable, NameTakes200Characters) {
  EXPECT_TRUE(Table("a,b\n1," + std::string(200, 'x') + "\n").Name(0, "b").has_value());
}

TEST(CsvTable, NameRefusesMore) {
  EXPECT_FALSE(Table("a,b\n1," + std::string(201, 'x') + "\n").Name(0, "b").has_value());
}

TEST(CsvTable, IntegerReadsBothEnds) {
  const CsvTable table = Table("a,b\n-3,9\n");
  EXPECT_EQ(table.Integer(0, "a", -3, 9).value(), -3);
  EXPECT_EQ(table.Integer(0, "b", -3, 9).value(), 9);
}

TEST(CsvTable, IntegerRefusesWhatIsTooSmall) {
  EXPECT_EQ(ErrorOf(Table("a,b\n1,-4\n").Integer(0, "b", -3, 9)),
            "t.csv:2:3: b is -4; expected -3 to 9");
}

TEST(CsvTable, IntegerRefusesWhatIsTooLarge) {
  EXPECT_EQ(ErrorOf(Table("a,b\n10,1\n").Integer(0, "a", -3, 9)),
            "t.csv:2:1: a is 10; expected -3 to 9");
}

TEST(CsvTable, IntegerRefusesText) {
  EXPECT_EQ(ErrorOf(Table("a,b\n\"1,5\",x\n").Integer(0, "b", 0, 9)),
            "t.csv:2:7: b: 'x' is not a whole number");
}

TEST(CsvTable, PlacesCountLinesOfTheFile) {
  EXPECT_EQ(ToString(Table("a,b\n\n# x\n1,2\n").PlaceOf(0, "b")), "t.csv:4:3");
}

class CsvFieldTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CsvFieldTest, IsReadBack) {
  const std::string text = "a,b\n" + CsvField(GetParam()) + ",x\n";
  EXPECT_THAT(Column(text, "a"), ElementsAre(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Texts, CsvFieldTest,
                         ::testing::Values("plain", "", " x ", "a,b", "\"", "say \"hi\"", "#1", ",",
                                           "\"quoted\""));

TEST(CsvField, LeavesPlainTextAlone) { EXPECT_EQ(CsvField("resnet50"), "resnet50"); }

TEST(CsvLines, GivesFieldsAndTheirPlaces) {
  CsvLines lines("t.csv", "\xef\xbb\xbf# made up\r\n\na,,12\r\nlast");
  ASSERT_TRUE(lines.Next());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "a");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(*lines.Integer(2, "count", 0, 12), 12);
  EXPECT_EQ(ToString(lines.PlaceOf(2)), "t.csv:3:4");
  ASSERT_TRUE(lines.Next());
  EXPECT_EQ(lines[0], "last");
  EXPECT_FALSE(lines.Next());
}

TEST(CsvLines, SaysWhereAFieldIsWrong) {
  CsvLines lines("t.csv", "a,,x,13");
  ASSERT_TRUE(lines.Next());
  EXPECT_EQ(lines.Name(1, "user").error().message, "t.csv:1:3: user is empty");
  EXPECT_EQ(lines.Integer(3, "count", 0, 12).error().message,
            "t.csv:1:6: count is 13; expected 0 to 12");
  EXPECT_TRUE(lines.Number(2, "time", 0, 12).error().message.starts_with("t.csv:1:4: time: "));
  EXPECT_EQ(lines.Number(3, "time", 0, 12).error().message,
            "t.csv:1:6: time is 13; expected 0 to 12");
}

}  // namespace
}  // namespace fairlead
