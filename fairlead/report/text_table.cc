#include "fairlead/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fairlead {

std::string InPercent(const std::optional<double>& share) {
  return share.has_value() ? fmt::format("{:.1f}", 100 * *share) : "-";
}

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

TimeUnit TimeUnitFor(double largest) {
  constexpr TimeUnit kUnits[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
  for (const TimeUnit& unit : kUnits) {
    if (largest >= unit.size) return unit;
  }
  return {"ns", 1};
}

std::string NameInRow(std::string_view name, std::size_t width) {
  if (name.size() <= width) return fmt::format("{:<{}}", name, width);
  return fmt::format("{}\n{:<{}}", name, "", width);
}

PolicyRows::PolicyRows(std::string_view title, std::span<const PolicyRuns> policies, Cells columns,
                       std::size_t longest_name)
    : columns_(std::move(columns)), width_(title.size()) {
  for (const PolicyRuns& policy : policies) {
    if (policy.policy.size() <= longest_name) width_ = std::max(width_, policy.policy.size());
  }
  head_ = fmt::format("{:<{}}", title, width_);
  for (const std::string& column : columns_) head_ += "  " + column;
  head_ += "\n";
}

void PolicyRows::Add(std::string_view name, const Cells& cells) {
  rows_ += NameInRow(name, width_);
  for (std::size_t c = 0; c < cells.size(); ++c)
    rows_ += fmt::format("  {:>{}}", cells[c], columns_[c].size());
  rows_ += "\n";
}

std::string Aligned(const std::vector<Cells>& rows, std::size_t texts) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c < texts ? fmt::format("{:<{}}", row[c], widths[c])
                        : fmt::format("{:>{}}", row[c], widths[c]);
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace fairlead
