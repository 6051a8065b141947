#include "fairlead/base/csv.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/printable.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

// Places are only made for complaints.
template <typename PlaceMaker>
Result<std::string_view> CheckedName(std::string_view text, std::string_view what,
                                     PlaceMaker place) {
  constexpr std::size_t kLongestName = 200;
  if (const std::string why = WhyNoName(text, kLongestName); !why.empty())
    return FailAt(place(), "{} {}", what, why);
  return text;
}

struct IntegerRange {
  std::int64_t low;
  std::int64_t high;
};

template <typename PlaceMaker>
Result<std::int64_t> CheckedInteger(std::string_view text, std::string_view what,
                                    IntegerRange range, PlaceMaker place) {
  const auto value = ParseInteger(text);
  if (!value) return FailAt(place(), "{}: {}", what, value.error().message);
  if (*value < range.low || *value > range.high)
    return FailAt(place(), "{} is {}; expected {} to {}", what, *value, range.low, range.high);
  return *value;
}

}  // namespace

Result<CsvTable::Row> CsvTable::SplitLine(std::string_view file, std::string_view line,
                                          int number) {
  Row row{.line = number, .fields = {}};
  std::size_t at = 0;
  while (true) {
    Field field{.text = {}, .column = static_cast<int>(at) + 1};
    if (at < line.size() && line[at] == '"') {
      ++at;
      while (true) {
        if (at >= line.size())
          return FailAt({std::string(file), number, field.column}, "quoted field has no end");
        if (line[at] != '"') {
          field.text += line[at++];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          field.text += '"';
          at += 2;
        } else {
          ++at;
          break;
        }
      }
      if (at < line.size() && line[at] != ',')
        return FailAt({std::string(file), number, static_cast<int>(at) + 1},
                      "expected a comma after a quoted field");
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      field.text = line.substr(at, end - at);
      at = end;
    }
    row.fields.push_back(std::move(field));
    if (at >= line.size()) return row;
    ++at;  // the comma
  }
}

Result<CsvTable> CsvTable::Parse(std::string_view file, std::string_view text,
                                 const std::vector<std::string_view>& required,
                                 const std::vector<std::string_view>& optional) {
  CsvTable table;
  table.file_ = file;
  RETURN_IF_ERROR(table.Read(text, required, optional, [&](Row row) -> Status {
    table.rows_.push_back(std::move(row));
    return {};
  }));
  return table;
}

Status CsvTable::ForEachRow(std::string_view file, std::string_view text,
                            const std::vector<std::string_view>& required,
                            const std::vector<std::string_view>& optional,
                            const std::function<Status(const CsvTable& one)>& visit) {
  CsvTable table;
  table.file_ = file;
  table.rows_.resize(1);
  return table.Read(text, required, optional, [&](Row row) {
    table.rows_.front() = std::move(row);
    return visit(table);
  });
}

Status CsvTable::ReadHeader(const Row& row, const std::vector<std::string_view>& required,
                            const std::vector<std::string_view>& optional) {
  std::vector<std::string_view> known = required;
  known.insert(known.end(), optional.begin(), optional.end());
  for (const Field& field : row.fields) {
    const Place place{file_, row.line, field.column};
    if (std::ranges::find(known, field.text) == known.end())
      return FailAt(place, "unknown column '{}'{}", field.text, Suggest(field.text, known));
    if (std::ranges::find(header_, field.text) != header_.end())
      return FailAt(place, "column '{}' stands twice", field.text);
    header_.push_back(field.text);
  }
  for (std::string_view column : required) {
    if (!Has(column)) return FailAt({file_, row.line, 1}, "column '{}' is missing", column);
  }
  return {};
}

Status CsvTable::Read(std::string_view text, const std::vector<std::string_view>& required,
                      const std::vector<std::string_view>& optional,
                      const std::function<Status(Row)>& take) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    ASSIGN_OR_RETURN(Row row, SplitLine(file_, line, number));
    if (header_.empty()) {
      RETURN_IF_ERROR(ReadHeader(row, required, optional));
      continue;
    }
    if (row.fields.size() != header_.size())
      return FailAt({file_, number, 1}, "{} fields, but the header names {} columns",
                    row.fields.size(), header_.size());
    RETURN_IF_ERROR(take(std::move(row)));
  }
  if (header_.empty())
    return FailAt({file_, 1, 1}, "no header row; expected columns such as '{}'",
                  required.empty() ? "" : required.front());
  return {};
}

int CsvTable::ColumnOf(std::string_view column) const {
  const auto found = std::ranges::find(header_, column);
  return found == header_.end() ? -1 : static_cast<int>(found - header_.begin());
}

std::string_view CsvTable::Text(std::size_t row, std::string_view column) const {
  const int index = ColumnOf(column);
  if (index < 0) return {};
  return rows_[row].fields[static_cast<std::size_t>(index)].text;
}

Result<std::string_view> CsvTable::Word(std::size_t row, std::string_view column) const {
  const std::string_view text = Text(row, column);
  if (text.empty()) return FailAt(PlaceOf(row, column), "{} is empty", column);
  return text;
}

Result<std::string_view> CsvTable::Name(std::size_t row, std::string_view column) const {
  return CheckedName(Text(row, column), column, [&] { return PlaceOf(row, column); });
}

Result<double> CsvTable::Number(std::size_t row, std::string_view column, double low,
                                double high) const {
  ASSIGN_OR_RETURN(const std::string_view text, Word(row, column));
  const auto value = ParseNumber(text);
  if (!value.has_value())
    return FailAt(PlaceOf(row, column), "{}: {}", column, value.error().message);
  if (*value < low || *value > high)
    return FailAt(PlaceOf(row, column), "{} is {}; expected {} to {}", column, text, low, high);
  return *value;
}

Result<std::int64_t> CsvTable::Integer(std::size_t row, std::string_view column, std::int64_t low,
                                       std::int64_t high) const {
  return CheckedInteger(Text(row, column), column, {low, high},
                        [&] { return PlaceOf(row, column); });
}

Place CsvTable::PlaceOf(std::size_t row, std::string_view column) const {
  const int index = std::max(ColumnOf(column), 0);
  return {file_, rows_[row].line, rows_[row].fields[static_cast<std::size_t>(index)].column};
}

CsvLines::CsvLines(std::string_view file, std::string_view text) : file_(file), rest_(text) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

bool CsvLines::Next() {
  do {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
  } while (line_.empty() || line_.front() == '#');
  fields_.clear();
  std::size_t at = 0;
  while (true) {
    const std::size_t end = std::min(line_.find(',', at), line_.size());
    fields_.push_back(line_.substr(at, end - at));
    if (end == line_.size()) return true;
    at = end + 1;
  }
}

Place CsvLines::PlaceOf(std::size_t field) const {
  return {file_, number_, static_cast<int>(fields_[field].data() - line_.data()) + 1};
}

Result<std::string_view> CsvLines::Name(std::size_t field, std::string_view what) const {
  return CheckedName(fields_[field], what, [&] { return PlaceOf(field); });
}

Result<std::int64_t> CsvLines::Integer(std::size_t field, std::string_view what, std::int64_t low,
                                       std::int64_t high) const {
  return CheckedInteger(fields_[field], what, {low, high}, [&] { return PlaceOf(field); });
}

Result<double> CsvLines::Number(std::size_t field, std::string_view what, double low,
                                double high) const {
  const auto value = ParseNumber(fields_[field]);
  if (!value) return FailAt(PlaceOf(field), "{}: {}", what, value.error().message);
  if (*value < low || *value > high)
    return FailAt(PlaceOf(field), "{} is {}; expected {} to {}", what, *value, low, high);
  return *value;
}

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r") == std::string_view::npos && !text.starts_with('#'))
    return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace fairlead
