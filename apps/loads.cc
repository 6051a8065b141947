#include "apps/loads.h"

#include <set>
#include <string>
#include <utility>

#include "apps/input_files.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr double kLeastLoad = 1e-6;  // as in scenarios
constexpr double kMostLoad = 1000;

Result<std::set<double>> ParseLoads(std::string_view list) {
  std::set<double> loads;
  while (true) {
    const std::string_view word = list.substr(0, list.find(','));
    const auto load = ParseNumber(word);
    if (!load.has_value() || *load < kLeastLoad || *load > kMostLoad)
      return Fail("--loads: '{}' is not a number from {} to {}", word, kLeastLoad, kMostLoad);
    loads.insert(*load);
    if (word.size() == list.size()) return loads;
    list.remove_prefix(word.size() + 1);
  }
}

}  // namespace

double OwnLoad(const World& world) {
  return world.scenario.load.value_or(world.listed() ? 0 : world.offered_load);
}

Result<std::vector<WorldAtLoad>> WorldsAtOtherLoads(std::string_view list, const World& world) {
  std::vector<WorldAtLoad> worlds;
  if (list.empty()) return worlds;
  ASSIGN_OR_RETURN(std::set<double> loads, ParseLoads(list));
  const double own = OwnLoad(world);
  if (!(own > 0)) return Fail("--loads: what is asked for in this scenario has no load");
  loads.erase(own);
  for (double load : loads) {
    Scenario scenario = world.scenario;
    if (scenario.load.has_value()) {
      scenario.load = load;
    } else {
      for (TenantsConfig& tenants : scenario.tenants) *tenants.rate *= load / own;
    }
    auto at_load = BuildWorld(std::move(scenario), &ReadInput, world.segment_order);
    if (!at_load.has_value()) return Fail("--loads {}: {}", load, at_load.error().message);
    worlds.push_back({load, std::move(*at_load)});
  }
  return worlds;
}

}  // namespace fairlead
