// Lists of cores as people write them: "0-3,8".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

// "0-3,8" as 0, 1, 2, 3, 8: ascending, each once. Refuses what is no such list.
Result<std::vector<int>> ParseCores(std::string_view text);
std::string FormatCores(std::span<const int> cores);

}  // namespace fairlead
