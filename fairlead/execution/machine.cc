#include "fairlead/execution/machine.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr int kMostCores = 4096;

// The first line of a small file; empty where there is none.
std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "32768K" or "1M".
std::int64_t ParseCacheSize(std::string text) {
  if (text.empty()) return 0;
  std::int64_t scale = 1;
  if (text.back() == 'K') scale = 1024;
  if (text.back() == 'M') scale = 1024 * 1024;
  if (scale > 1) text.pop_back();
  const auto number = ParseInteger(text);
  return number.has_value() && *number > 0 ? *number * scale : 0;
}

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
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    const std::size_t dash = std::min(range.find('-'), range.size());
    ASSIGN_OR_RETURN(const int first, ParseCore(range.substr(0, dash)));
    int last = first;
    if (dash < range.size()) {
      ASSIGN_OR_RETURN(last, ParseCore(range.substr(dash + 1)));
    }
    if (last < first) return Fail("'{}' ends before it begins", range);
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
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

std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

Cache LastLevelCache(int core, const std::string& cpu_folder) {
  Cache last;
  std::int64_t last_level = 0;
  for (int index = 0;; ++index) {
    const std::string folder = fmt::format("{}/cpu{}/cache/index{}/", cpu_folder, core, index);
    const auto level = ParseInteger(FirstLine(folder + "level"));
    if (!level.has_value()) break;
    const auto cores = ParseCores(FirstLine(folder + "shared_cpu_list"));
    if (FirstLine(folder + "type") == "Instruction" || *level < last_level) continue;
    last_level = *level;
    last = {ParseCacheSize(FirstLine(folder + "size")),
            cores.has_value() ? *cores : std::vector<int>{core}};
  }
  return last;
}

std::vector<std::int64_t> CacheShares(std::span<const std::vector<int>> groups,
                                      const std::string& cpu_folder) {
  std::map<std::vector<int>, std::int64_t> users;  // of each cache, by the cores that share it
  for (const std::vector<int>& group : groups) {
    for (int core : group) ++users[LastLevelCache(core, cpu_folder).cores];
  }
  std::vector<std::int64_t> shares;
  for (const std::vector<int>& group : groups) {
    std::int64_t share = 0;
    for (int core : group) {
      const Cache cache = LastLevelCache(core, cpu_folder);
      share += cache.bytes / users[cache.cores];
    }
    shares.push_back(share);
  }
  return shares;
}

}  // namespace fairlead
