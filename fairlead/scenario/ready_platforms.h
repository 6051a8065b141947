// Platforms that a scenario can name instead of describing one: `platform: h200-partitions`.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fairlead/scenario/scenario.h"

namespace fairlead {

struct ReadyPlatform {
  std::string_view name;
  std::string_view description;
  std::int64_t bandwidth = 0;  // 0: no limit
  std::vector<AcceleratorsConfig> accelerators;
  bool measured = false;  // its costs were measured; else models compute them
};

std::span<const ReadyPlatform> ReadyPlatforms();

}  // namespace fairlead
