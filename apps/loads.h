// The scenario at other loads, for `fairlead simulate --loads`.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/config/world.h"

namespace fairlead {

struct WorldAtLoad {
  double load = 0;
  std::unique_ptr<const World> world;
};

// "0.6,0.8,1.0" as worlds, by load, each once, without the load that the world has itself. Nothing
// for an empty list. Fails where the scenario has no load.
Result<std::vector<WorldAtLoad>> WorldsAtOtherLoads(std::string_view list, const World& world);

}  // namespace fairlead
