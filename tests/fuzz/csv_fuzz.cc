// CSV: a table that was read, written with CsvField and read again is the same table.

#include "fairlead/base/check.h"
#include "fairlead/base/csv.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

constexpr std::string_view kColumns[] = {"name", "value", "note"};

Result<CsvTable> Parse(std::string_view text) {
  return CsvTable::Parse("fuzz.csv", text, {"name", "value"}, {"note"});
}

std::string Format(const CsvTable& table) {
  std::string text = "name,value,note\n";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::string_view column : kColumns) {
      text += CsvField(table.Text(row, column));
      text += column == "note" ? '\n' : ',';
    }
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = Parse(TextOf(data, size));
  if (!table.has_value()) {
    CHECK(table.error().message.starts_with("fuzz.csv:"));
    return 0;
  }
  const auto again = Parse(Format(*table));
  CHECK_MSG(again.has_value(), again.error().message);
  CHECK(again->rows() == table->rows());
  for (std::size_t row = 0; row < table->rows(); ++row) {
    for (std::string_view column : kColumns)
      CHECK(again->Text(row, column) == table->Text(row, column));
    const auto name = table->Name(row, "name");
    CHECK(name.has_value() || name.error().message.starts_with("fuzz.csv:"));
    const auto value = table->Integer(row, "value", -5, 5);
    CHECK(!value.has_value() || (*value >= -5 && *value <= 5));
  }
  return 0;
}

}  // namespace fairlead
