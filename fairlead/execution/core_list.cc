#include "fairlead/execution/core_list.h"

#include <algorithm>

#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr int kMostCores = 4096;

Result<int> ParseCore(std::string_view text) {
  const auto core = ParseInteger(text);
  if (!core.has_value() || *core < 0 || *core >= kMostCores)
    return Fail("'{}' is no core; expected a list such as 0-3,8", text);
  return static_cast<int>(*core);
}

}  // namespace

Result<std::vector<int>> ParseCores(std::string_view text) {
  std::vector<int> cores;
  while (true) {
    const std::string_view range = text.substr(0, text.find(','));
    const std::size_t dash = range.find('-');
    ASSIGN_OR_RETURN(const int first, ParseCore(range.substr(0, dash)));
    int last = first;
    if (dash != std::string_view::npos) {
      ASSIGN_OR_RETURN(last, ParseCore(range.substr(dash + 1)));
    }
    if (last < first) return Fail("'{}' ends before it begins", range);
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (range.size() == text.size()) break;
    text.remove_prefix(range.size() + 1);
  }
  std::ranges::sort(cores);
  const auto twice = std::ranges::adjacent_find(cores);
  if (twice != cores.end()) return Fail("core {} stands twice", *twice);
  return cores;
}

std::string FormatCores(std::span<const int> cores) {
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t end = i + 1;
    while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cores[i]);
    if (end > i + 1) text += '-' + std::to_string(cores[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace fairlead
