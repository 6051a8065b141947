// The scenario at other loads, for `fairlead simulate --loads`.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/world/world.h"

namespace fairlead {

struct WorldAtLoad {
  double load = 0;
  std::unique_ptr<const World> world;
};

// What the scenario says, or what its rates come to; 0 where that is not known.
double OwnLoad(const World& world);

// "0.6,0.8,1.0" as worlds, by load, each once, without the load that the world has itself. Nothing
// for an empty list. Where tenants have rates these are scaled, all alike. Fails for a requests
// file.
Result<std::vector<WorldAtLoad>> WorldsAtOtherLoads(std::string_view list, const World& world);

}  // namespace fairlead
