// Results as text, for people: rows of at most 80 columns. Names of usual length stand in the first
// column, longer ones on a line of their own above their row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/report/summary.h"

namespace fairlead {

inline constexpr std::size_t kTextWidth = 80;
inline constexpr std::size_t kLongestNameInRow = 20;

// "95.0": a share in percent; a dash for none.
std::string InPercent(const std::optional<double>& share);

// "1 tenant", "2 tenants".
std::string Counted(std::size_t count, std::string_view noun);

// The largest unit of which the largest value, in nanoseconds, has at least one.
struct TimeUnit {
  std::string_view name;
  double size;
};
TimeUnit TimeUnitFor(double largest);

std::string NameInRow(std::string_view name, std::size_t width);

using Cells = std::vector<std::string>;

// A row of figures for each policy, right below titles that are as wide as they.
//
//   guard  strikes  wrong plan  slow
//   edf-h        6           0     6
class PolicyRows {
 public:
  // Wide enough for the title, and for those policies whose names are not too long.
  PolicyRows(std::string_view title, std::span<const PolicyRuns> policies, Cells columns,
             std::size_t longest_name = kLongestNameInRow);
  void Add(std::string_view name, const Cells& cells);
  // Empty without rows.
  std::string Text() const { return rows_.empty() ? std::string() : head_ + rows_; }

 private:
  Cells columns_;
  std::size_t width_;
  std::string head_;
  std::string rows_;
};

// Columns as wide as what stands in them; the first ones are texts, the others numbers.
std::string Aligned(const std::vector<Cells>& rows, std::size_t texts);

}  // namespace fairlead
