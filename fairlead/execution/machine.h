// What the kernel says about this machine: its processor, its cores and their
// caches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

// "0-3,8" as 0, 1, 2, 3, 8: ascending, each once. Refuses what is no such list.
Result<std::vector<int>> ParseCores(std::string_view text);
std::string FormatCores(std::span<const int> cores);

// As the vendor calls it; empty where the kernel does not tell.
std::string ProcessorName();

// The last level of cache that a core has.
struct Cache {
  std::int64_t bytes = 0;  // 0: unknown
  std::vector<int> cores;  // that share it, ascending
};
inline constexpr std::string_view kCpuFolder = "/sys/devices/system/cpu";
Cache LastLevelCache(int core, const std::string& cpu_folder = std::string(kCpuFolder));

// The bytes of last-level cache that each group of cores can call its own when all groups are busy:
// each cache is divided among the cores of all groups that share it.
std::vector<std::int64_t> CacheShares(std::span<const std::vector<int>> groups,
                                      const std::string& cpu_folder = std::string(kCpuFolder));

}  // namespace fairlead
