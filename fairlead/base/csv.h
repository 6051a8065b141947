// Tables that people wrote: CSV with a header row, columns by name, in any order.
//
// Every complaint names file, line and column. Fields may be quoted ("a, b", "" for a quote);
// records do not span lines. Lines that are empty or start with '#' are passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

class CsvTable {
 public:
  // Splits the text. Fails on a ragged row, an unknown or repeated column, or a required column
  // that is missing. `file` is only used in messages.
  static Result<CsvTable> Parse(std::string_view file, std::string_view text,
                                const std::vector<std::string_view>& required,
                                const std::vector<std::string_view>& optional);

  // The same row by row, for long tables: `visit` sees each as a table of one row.
  static Status ForEachRow(std::string_view file, std::string_view text,
                           const std::vector<std::string_view>& required,
                           const std::vector<std::string_view>& optional,
                           const std::function<Status(const CsvTable& one)>& visit);

  const std::string& file() const { return file_; }
  std::size_t rows() const { return rows_.size(); }
  bool Has(std::string_view column) const { return ColumnOf(column) >= 0; }

  // The field of a row; an empty text where the (optional) column is missing.
  std::string_view Text(std::size_t row, std::string_view column) const;
  // A non-empty field.
  Result<std::string_view> Word(std::size_t row, std::string_view column) const;
  // A non-empty field of up to 200 printable characters that is no formula: base/printable.h.
  Result<std::string_view> Name(std::size_t row, std::string_view column) const;
  // A whole number within [low, high].
  Result<std::int64_t> Integer(std::size_t row, std::string_view column, std::int64_t low,
                               std::int64_t high) const;
  // A finite number within [low, high].
  Result<double> Number(std::size_t row, std::string_view column, double low, double high) const;
  Place PlaceOf(std::size_t row, std::string_view column) const;

 private:
  struct Field {
    std::string text;
    int column;
  };
  struct Row {
    int line;
    std::vector<Field> fields;
  };
  static Result<Row> SplitLine(std::string_view file, std::string_view line, int number);
  Status Read(std::string_view text, const std::vector<std::string_view>& required,
              const std::vector<std::string_view>& optional,
              const std::function<Status(Row)>& take);
  Status ReadHeader(const Row& row, const std::vector<std::string_view>& required,
                    const std::vector<std::string_view>& optional);
  int ColumnOf(std::string_view column) const;

  std::string file_;
  std::vector<std::string> header_;
  std::vector<Row> rows_;
};

// Tables that other people's programs wrote, line by line: fields by position, never quoted, at no
// cost but reading. Lines that are empty or start with '#' are passed over.
class CsvLines {
 public:
  // The text outlives the lines, and what they hand out. `file` is only used in messages.
  CsvLines(std::string_view file, std::string_view text);

  // Goes to the next line; false at the end.
  bool Next();
  std::size_t size() const { return fields_.size(); }
  std::string_view operator[](std::size_t field) const { return fields_[field]; }
  Place PlaceOf(std::size_t field) const;

  // As CsvTable's; `what` names the field in messages.
  Result<std::string_view> Name(std::size_t field, std::string_view what) const;
  Result<std::int64_t> Integer(std::size_t field, std::string_view what, std::int64_t low,
                               std::int64_t high) const;
  // A number within [low, high].
  Result<double> Number(std::size_t field, std::string_view what, double low, double high) const;

 private:
  std::string file_;
  std::string_view rest_;
  std::string_view line_;
  int number_ = 0;
  std::vector<std::string_view> fields_;
};

// Writes a field, which holds no line end, so that Parse reads it back. An empty field alone on its
// line is no row.
std::string CsvField(std::string_view text);

}  // namespace fairlead
