// Platforms that a scenario can name instead of describing one: `platform: h200-partitions`.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/config/scenario.h"
#include "fairlead/costs/profile.h"

namespace fairlead {

struct ReadyPlatform {
  std::string_view name;
  std::string_view description;
  std::int64_t bandwidth = 0;  // 0: no limit
  std::vector<AcceleratorsConfig> accelerators;
  bool measured = false;  // its costs were measured; else models compute them
};

std::span<const ReadyPlatform> ReadyPlatforms();

// Precondition: the platform is a ready one and measured.
Profile MeasuredProfileOf(std::string_view platform);

}  // namespace fairlead
