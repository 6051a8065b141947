// The first column of tables of policies: names of usual length stand in it, longer ones on a line
// of their own above their row, so that rows stay within 80 columns.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "fairlead/report/summary.h"

namespace fairlead {

inline constexpr std::size_t kLongestNameInRow = 20;

// Wide enough for the title, and for those names that are not too long.
inline std::size_t NameWidth(std::string_view title, std::span<const PolicyRuns> policies,
                             std::size_t most = kLongestNameInRow) {
  std::size_t width = title.size();
  for (const PolicyRuns& policy : policies) {
    if (policy.policy.size() <= most) width = std::max(width, policy.policy.size());
  }
  return width;
}

inline std::string NameInRow(std::string_view name, std::size_t width) {
  if (name.size() <= width) return fmt::format("{:<{}}", name, width);
  return fmt::format("{}\n{:<{}}", name, "", width);
}

}  // namespace fairlead
