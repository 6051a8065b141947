#include "fairlead/config/scenario_costs.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fairlead/base/units.h"
#include "fairlead/config/accelerator_catalogue.h"
#include "fairlead/config/ready_platforms.h"
#include "fairlead/costs/network_costs.h"
#include "fairlead/costs/zoo.h"

namespace fairlead {
namespace {

// The networks that tenants ask for; all where a requests file says who asks for what.
std::vector<LayeredNetwork> NetworksOf(const Scenario& scenario) {
  std::set<std::string_view> asked;
  for (const TenantsConfig& tenants : scenario.tenants)
    asked.insert(tenants.networks.begin(), tenants.networks.end());
  std::vector<LayeredNetwork> networks;
  for (const LayeredNetwork& network : Zoo()) {
    if (asked.empty() || asked.contains(network.name)) networks.push_back(network);
  }
  return networks;
}

Status CheckNetworksKnown(const Scenario& scenario) {
  std::vector<std::string_view> known;
  for (const LayeredNetwork& network : Zoo()) known.push_back(network.name);
  for (const TenantsConfig& tenants : scenario.tenants) {
    for (const std::string& name : tenants.networks) {
      if (std::ranges::find(known, name) == known.end())
        return FailAt(tenants.networks_place, "unknown network '{}'{}", name, Suggest(name, known));
    }
  }
  return {};
}

Result<Profile> ModelCosts(Scenario& scenario, const FileReader& read) {
  std::vector<AcceleratorModel> models;
  for (AcceleratorsConfig& accelerators : scenario.platform.accelerators) {
    const bool file = accelerators.kind.ends_with(".yaml") || accelerators.kind.ends_with(".yml");
    auto model = FindAcceleratorModel(
        file ? Beside(scenario.file, accelerators.kind) : accelerators.kind, read);
    if (!model.has_value()) return FailAt(accelerators.place, "{}", model.error().message);
    for (const AcceleratorModel& other : models) {
      if (other.name == model->name)
        return FailAt(accelerators.place, "two kinds are called '{}'", other.name);
    }
    accelerators.kind = model->name;
    models.push_back(std::move(*model));
  }
  RETURN_IF_ERROR(CheckNetworksKnown(scenario));
  return ProfileOf(NetworksOf(scenario), models, scenario.networks.batches);
}

}  // namespace

Result<Profile> LoadCosts(Scenario& scenario, const FileReader& read) {
  const NetworksConfig& networks = scenario.networks;
  if (!networks.profile.empty()) {
    const std::string path = Beside(scenario.file, networks.profile);
    auto text = read(path);
    if (!text.has_value()) return FailAt(networks.place, "profile: {}", text.error().message);
    return ParseProfile(path, *text);
  }
  if (scenario.platform.measured) return MeasuredProfileOf(scenario.platform.ready);
  return ModelCosts(scenario, read);
}

}  // namespace fairlead
