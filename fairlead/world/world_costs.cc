#include "fairlead/world/world_costs.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/units.h"
#include "fairlead/costs/accelerator_model.h"
#include "fairlead/networks/zoo.h"
#include "fairlead/scenario/accelerator_catalogue.h"
#include "fairlead/world/measured_platforms.h"
#include "fairlead/world/network_catalogue.h"

namespace fairlead {
namespace {

// The networks that can be asked for: those of ONNX files, which come before built-in ones of the
// same name, and of the built-in ones those that tenants ask for; all where a requests file says
// who asks for what.
Result<std::vector<LayeredNetwork>> NetworksOf(const Scenario& scenario, const FileReader& read,
                                               std::vector<std::string>& warnings) {
  std::vector<LayeredNetwork> networks;
  const auto known = [&](std::string_view name) {
    return std::ranges::find(networks, name, &LayeredNetwork::name) != networks.end();
  };
  for (const std::string& file : scenario.networks.onnx) {
    auto found = FindNetworkByName(Beside(scenario.file, file), read);
    if (!found.has_value())
      return FailAt(scenario.networks.place, "onnx: {}", found.error().message);
    if (known(found->network.name))
      return FailAt(scenario.networks.place, "onnx: two files are called '{}'",
                    found->network.name);
    warnings.insert(warnings.end(), found->warnings.begin(), found->warnings.end());
    networks.push_back(std::move(found->network));
  }
  std::set<std::string_view> asked;
  for (const TenantsConfig& tenants : scenario.tenants)
    asked.insert(tenants.networks.begin(), tenants.networks.end());
  for (const LayeredNetwork& network : Zoo()) {
    if (!known(network.name) && (asked.empty() || asked.contains(network.name)))
      networks.push_back(network);
  }
  return networks;
}

// World names unknown networks too, but knows only those that are asked for.
Status CheckNetworksKnown(const Scenario& scenario, std::span<const LayeredNetwork> networks) {
  std::vector<std::string_view> known;
  for (const LayeredNetwork& network : networks) known.push_back(network.name);
  for (const LayeredNetwork& network : Zoo()) known.push_back(network.name);
  for (const TenantsConfig& tenants : scenario.tenants) {
    for (const std::string& name : tenants.networks) {
      if (std::ranges::find(known, name) == known.end())
        return FailAt(tenants.networks_place, "unknown network '{}'{}", name, Suggest(name, known));
    }
  }
  return {};
}

Result<ScenarioCosts> ModelCosts(Scenario& scenario, const FileReader& read) {
  std::vector<AcceleratorModel> models;
  for (AcceleratorsConfig& accelerators : scenario.platform.accelerators) {
    if (accelerators.kind.ends_with(".yaml") || accelerators.kind.ends_with(".yml"))
      accelerators.file = accelerators.kind;
    auto model = FindAcceleratorModel(
        accelerators.file.empty() ? accelerators.kind : Beside(scenario.file, accelerators.file),
        read);
    if (!model.has_value()) return FailAt(accelerators.place, "{}", model.error().message);
    for (const AcceleratorModel& other : models) {
      if (other.name == model->name)
        return FailAt(accelerators.place, "two kinds are called '{}'", other.name);
    }
    accelerators.kind = model->name;
    models.push_back(std::move(*model));
  }
  ScenarioCosts costs;
  ASSIGN_OR_RETURN(const auto networks, NetworksOf(scenario, read, costs.warnings));
  RETURN_IF_ERROR(CheckNetworksKnown(scenario, networks));
  costs.profile = ProfileOf(networks, models, scenario.networks.batches);
  return costs;
}

Result<ScenarioCosts> LayerCostsOf(Scenario& scenario, const FileReader& read) {
  const NetworksConfig& networks = scenario.networks;
  if (!networks.profile.empty()) {
    const std::string path = Beside(scenario.file, networks.profile);
    auto text = read(path);
    if (!text.has_value()) return FailAt(networks.place, "profile: {}", text.error().message);
    ASSIGN_OR_RETURN(Profile profile, ParseProfile(path, *text));
    return ScenarioCosts{.profile = std::move(profile), .warnings = {}, .notes = {}};
  }
  if (scenario.platform.measured)
    return ScenarioCosts{
        .profile = MeasuredProfileOf(scenario.platform.ready), .warnings = {}, .notes = {}};
  return ModelCosts(scenario, read);
}

HandOverCosts AlikeFor(std::size_t kinds, const HandOversConfig& config) {
  HandOverCosts costs(kinds);
  for (std::size_t to = 0; to < kinds; ++to) {
    costs.SetHandOver(KindId{to}, config.hand_over);
    costs.SetTakeOver(KindId{to}, config.take_over);
    for (std::size_t from = 0; from < kinds; ++from)
      costs.SetMove(KindId{from}, KindId{to}, config.move);
  }
  return costs;
}

// What a profile does not say costs nothing; that is worth a line.
Status AddHandOvers(const Scenario& scenario, const FileReader& read, ScenarioCosts& costs) {
  const HandOversConfig& config = scenario.hand_overs;
  const std::string& profile = scenario.networks.profile;
  if (!config.given) {
    if (!profile.empty())
      costs.notes.push_back(
          fmt::format("No hand_overs beside {}: going on with a job costs nothing.", profile));
    return {};
  }
  if (config.file.empty()) {
    costs.profile.hand_overs = AlikeFor(costs.profile.kinds.size(), config);
  } else {
    const std::string path = Beside(scenario.file, config.file);
    auto text = read(path);
    if (!text.has_value()) return FailAt(config.place, "hand_overs: {}", text.error().message);
    ASSIGN_OR_RETURN(costs.profile.hand_overs, ParseHandOvers(path, *text, costs.profile.kinds));
  }
  if (costs.profile.alive_bytes.empty() && costs.profile.hand_overs.CountBytes())
    costs.notes.push_back(fmt::format("{} has no alive_bytes: a move costs its fixed part alone.",
                                      profile.empty() ? scenario.platform.ready : profile));
  return {};
}

}  // namespace

bool HasModelledCosts(const Scenario& scenario) {
  return scenario.networks.profile.empty() && !scenario.platform.measured;
}

Result<ScenarioCosts> LoadCosts(Scenario& scenario, const FileReader& read) {
  ASSIGN_OR_RETURN(ScenarioCosts costs, LayerCostsOf(scenario, read));
  RETURN_IF_ERROR(AddHandOvers(scenario, read, costs));
  return costs;
}

}  // namespace fairlead
