#include "fairlead/scenario/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "fairlead/base/units.h"
#include "fairlead/scenario/scenario_sections.h"
#include "fairlead/scenario/yaml_reader.h"

namespace fairlead {
namespace {

// More than a hundred times what a big machine serves; beyond it a typing error is likelier.
constexpr std::int64_t kMostAgreements = 100'000;

Status ReadBatches(const ConfigNode& node, NetworksConfig& networks) {
  if (!networks.profile.empty()) return node.Wrong("a profile has its own batches");
  ASSIGN_OR_RETURN(const auto list, node.List());
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const std::int64_t batch, item.AsInteger(1, 1024));
    if (!networks.batches.empty() && batch <= networks.batches.back())
      return item.Wrong("batches must increase");
    networks.batches.push_back(static_cast<int>(batch));
  }
  if (networks.batches.empty() || networks.batches.front() != 1)
    return node.Wrong("the first batch must be 1");
  return {};
}

// layers, blocks, whole, auto, or {auto: {hand_overs: 5%, longest: 2ms}}
Status ReadSegments(const ConfigNode& node, SegmentsConfig& segments) {
  if (node.IsMap()) {
    ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"auto"}));
    ASSIGN_OR_RETURN(const ConfigNode automatic, map.Require("auto"));
    ASSIGN_OR_RETURN(const ConfigMap keys, ConfigMap::Open(automatic, {"hand_overs", "longest"}));
    segments.unit = SegmentsConfig::Unit::kAuto;
    if (const auto share = keys.Find("hand_overs"); share.has_value()) {
      ASSIGN_OR_RETURN(segments.automatic.hand_overs, share->AsRate());
    }
    if (!keys.Has("longest")) return {};
    RETURN_IF_ERROR(keys.ReadDuration("longest", segments.automatic.longest));
    if (segments.automatic.longest == Duration::zero())
      return keys.Find("longest")->Wrong("no segment takes no time");
    return {};
  }
  ASSIGN_OR_RETURN(const std::string text, node.Text());
  constexpr std::array<std::string_view, 4> kUnits = {"layers", "blocks", "whole", "auto"};
  const auto found = std::ranges::find(kUnits, text);
  if (found == kUnits.end())
    return FailAt(node.Place(), "segments: unknown unit '{}'{}", text, Suggest(text, kUnits));
  segments.unit = static_cast<SegmentsConfig::Unit>(found - kUnits.begin());
  return {};
}

Status ReadNetworks(const ConfigNode& node, NetworksConfig& networks) {
  if (!node.IsMap()) {
    return node.Wrong(
        "expected keys and values such as 'profile: ...'; built-in networks need no mention here: "
        "tenants name those that they use");
  }
  networks.place = node.Place();
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(node, {"profile", "segments", "layers_per_block", "batches", "onnx"}));
  RETURN_IF_ERROR(map.ReadText("profile", networks.profile));
  if (const auto profile = map.Find("profile"); profile.has_value())
    networks.place = profile->Place();
  if (const auto onnx = map.Find("onnx"); onnx.has_value()) {
    if (networks.profile.empty()) networks.place = onnx->Place();
    RETURN_IF_ERROR(map.ReadTexts("onnx", networks.onnx));
  }
  if (const auto batches = map.Find("batches"); batches.has_value())
    RETURN_IF_ERROR(ReadBatches(*batches, networks));
  const auto segments = map.Find("segments");
  const auto per_block = map.Find("layers_per_block");
  if (segments.has_value()) RETURN_IF_ERROR(ReadSegments(*segments, networks.segments));
  const bool blocks = networks.segments.unit == SegmentsConfig::Unit::kBlocks;
  if (blocks != per_block.has_value())
    return FailAt(map.Place(), "layers_per_block and segments: blocks belong together");
  return map.ReadInteger("layers_per_block", networks.segments.layers_per_block, 1, 100'000);
}

Status ReadDeadlines(const ConfigNode& node, Scenario& scenario) {
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"factor", "levels", "weights"}));
  RETURN_IF_ERROR(map.ReadNumber("factor", scenario.qos_factor, 0.01, 1e6));
  const auto read_list = [&map](std::string_view key, double low,
                                std::vector<double>& out) -> Status {
    const auto list_node = map.Find(key);
    if (!list_node.has_value()) return {};
    ASSIGN_OR_RETURN(const auto list, list_node->List());
    out.clear();
    for (const ConfigNode& item : list) {
      ASSIGN_OR_RETURN(const double number, item.AsNumber(low, 1e6));
      out.push_back(number);
    }
    if (out.empty() || out.size() > 64)
      return FailAt(list_node->Place(), "{} needs 1 to 64 entries", key);
    return {};
  };
  RETURN_IF_ERROR(read_list("levels", 0.001, scenario.levels.factors));
  scenario.levels.weights.assign(scenario.levels.factors.size(), 1.0);
  RETURN_IF_ERROR(read_list("weights", 0, scenario.levels.weights));
  if (scenario.levels.weights.size() != scenario.levels.factors.size())
    return FailAt(node.Place(), "{} weights for {} levels", scenario.levels.weights.size(),
                  scenario.levels.factors.size());
  if (std::ranges::all_of(scenario.levels.weights, [](double w) { return w == 0; }))
    return FailAt(node.Place(), "all weights are 0");
  return {};
}

Status ReadBeliefs(const ConfigNode& node, BeliefError& beliefs) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"bias", "noise", "network_noise", "kind_noise"}));
  RETURN_IF_ERROR(map.ReadNumber("bias", beliefs.bias, -0.99, 100));
  RETURN_IF_ERROR(map.ReadNumber("noise", beliefs.noise, 0, 5));
  RETURN_IF_ERROR(map.ReadNumber("network_noise", beliefs.network_noise, 0, 5));
  return map.ReadNumber("kind_noise", beliefs.kind_noise, 0, 5);
}

// What the world obeys, and what policies expect.
Status ReadInterference(const ConfigNode& node, InterferenceConfig& interference) {
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"truth", "belief"}));
  const auto read = [&map](std::string_view key, SlowdownName& name) -> Status {
    const auto value = map.Find(key);
    if (!value.has_value()) return {};
    name.place = value->Place();
    ASSIGN_OR_RETURN(name.text, value->Text());
    if (name.text.empty()) return value->Wrong("expected a model");
    return {};
  };
  RETURN_IF_ERROR(read("truth", interference.truth));
  return read("belief", interference.belief);
}

Status ReadCharge(const ConfigNode& node, ChargeConfig& charge) {
  charge.place = node.Place();
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"fixed", "per_ready", "accelerator", "bytes_per_ready",
                                          "energy_pj_per_ready"}));
  RETURN_IF_ERROR(map.ReadDuration("fixed", charge.fixed, std::chrono::hours{1}));
  RETURN_IF_ERROR(map.ReadDuration("per_ready", charge.per_ready, std::chrono::seconds{1}));
  RETURN_IF_ERROR(map.ReadText("accelerator", charge.accelerator));
  const auto read_amount = [&map](std::string_view key, std::int64_t most,
                                  std::int64_t& out) -> Status {
    const auto value = map.Find(key);
    if (!value.has_value()) return {};
    ASSIGN_OR_RETURN(out, value->AsInteger(0, most));
    return {};
  };
  RETURN_IF_ERROR(read_amount("bytes_per_ready", 1'000'000'000, charge.bytes_per_ready));
  return read_amount("energy_pj_per_ready", 1'000'000'000'000, charge.energy_pj_per_ready);
}

Result<ChangeConfig> ReadChange(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, WithTermKeys({"at", "accelerator", "state", "policy",
                                                       "guard", "tenant", "network"},
                                                      TermsOf::kChange)));
  ChangeConfig change;
  change.place = node.Place();
  RETURN_IF_ERROR(map.Require("at"));
  RETURN_IF_ERROR(map.ReadInstant("at", change.at));
  RETURN_IF_ERROR(map.ReadText("accelerator", change.accelerator));
  RETURN_IF_ERROR(map.ReadText("policy", change.policy));
  RETURN_IF_ERROR(map.ReadText("tenant", change.tenant));
  RETURN_IF_ERROR(map.ReadText("network", change.network));
  const int subjects = static_cast<int>(map.Has("accelerator")) +
                       static_cast<int>(map.Has("policy") || map.Has("guard")) +
                       static_cast<int>(map.Has("tenant"));
  if (subjects != 1)
    return FailAt(node.Place(),
                  "a change names exactly one of accelerator, tenant, and policy or its guard");
  if (map.Has("state") != map.Has("accelerator"))
    return FailAt(node.Place(), "accelerator and state belong together");
  RETURN_IF_ERROR(ReadTerms(map, TermsOf::kChange, change.terms));
  if (map.Has("tenant") != map.Has("network") || map.Has("tenant") == change.terms.given.empty())
    return FailAt(node.Place(), "tenant and network belong together, with one or more of {}",
                  fmt::join(TermKeys(TermsOf::kChange), ", "));
  if (const auto state = map.Find("state"); state.has_value()) {
    ASSIGN_OR_RETURN(const std::string text, state->Text());
    if (text != "away" && text != "back")
      return state->Wrong(fmt::format("'{}' is neither away nor back", text));
    change.away = text == "away";
  }
  if (const auto guard = map.Find("guard"); guard.has_value()) {
    ASSIGN_OR_RETURN(change.guard, ReadGuard(*guard, change.guard_place));
  }
  return change;
}

Status ReadPolicies(const ConfigMap& map, std::vector<NamedPolicy>& policies) {
  const auto node = map.Find("policies");
  if (!node.has_value()) return {};
  ASSIGN_OR_RETURN(const auto list, node->List());
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(std::string text, item.Text());
    policies.push_back({std::move(text), item.Place()});
  }
  return {};
}

Status ReadTop(const ConfigMap& map, Scenario& scenario) {
  RETURN_IF_ERROR(map.ReadText("name", scenario.name));
  RETURN_IF_ERROR(map.ReadText("description", scenario.description));
  if (const auto seed = map.Find("seed"); seed.has_value()) {
    ASSIGN_OR_RETURN(const std::int64_t value,
                     seed->AsInteger(0, std::numeric_limits<std::int64_t>::max()));
    scenario.seed = static_cast<std::uint64_t>(value);
  }
  RETURN_IF_ERROR(ReadPolicies(map, scenario.policies));
  RETURN_IF_ERROR(map.ReadDuration("horizon", scenario.horizon));
  RETURN_IF_ERROR(map.ReadDuration("warm_up", scenario.warm_up));
  RETURN_IF_ERROR(map.ReadDuration("period", scenario.period, std::chrono::hours{1}));
  if (const auto period = map.Find("period"); period.has_value())
    scenario.period_place = period->Place();
  if (const auto late = map.Find("late_jobs"); late.has_value()) {
    ASSIGN_OR_RETURN(const std::string text, late->Text());
    if (text != "finish" && text != "drop")
      return late->Wrong(fmt::format("'{}' is neither finish nor drop", text));
    scenario.late = text == "drop" ? LateJobs::kDrop : LateJobs::kFinish;
  }
  if (const auto load = map.Find("load"); load.has_value()) {
    scenario.load_place = load->Place();
    ASSIGN_OR_RETURN(scenario.load, load->AsNumber(1e-6, 1000));
  }
  return {};
}

Status ReadParts(const ConfigMap& map, Scenario& scenario) {
  ASSIGN_OR_RETURN(const ConfigNode platform, map.Require("platform"));
  RETURN_IF_ERROR(ReadPlatform(platform, scenario.platform));
  if (const auto networks = map.Find("networks"); networks.has_value())
    RETURN_IF_ERROR(ReadNetworks(*networks, scenario.networks));
  if (const auto hand_overs = map.Find("hand_overs"); hand_overs.has_value())
    RETURN_IF_ERROR(ReadHandOvers(*hand_overs, scenario.hand_overs));
  if (const auto deadlines = map.Find("deadlines"); deadlines.has_value())
    RETURN_IF_ERROR(ReadDeadlines(*deadlines, scenario));
  if (const auto arrivals = map.Find("arrivals"); arrivals.has_value()) {
    ASSIGN_OR_RETURN(scenario.arrivals, ReadArrivals(*arrivals));
  }
  if (const auto beliefs = map.Find("beliefs"); beliefs.has_value())
    RETURN_IF_ERROR(ReadBeliefs(*beliefs, scenario.beliefs));
  if (const auto interference = map.Find("interference"); interference.has_value())
    RETURN_IF_ERROR(ReadInterference(*interference, scenario.interference));
  if (const auto charge = map.Find("decision_charge"); charge.has_value())
    RETURN_IF_ERROR(ReadCharge(*charge, scenario.charge));
  if (const auto guard = map.Find("guard"); guard.has_value()) {
    ASSIGN_OR_RETURN(scenario.guard, ReadGuard(*guard, scenario.guard_place));
  }
  if (const auto changes = map.Find("changes"); changes.has_value()) {
    ASSIGN_OR_RETURN(const auto list, changes->List());
    for (const ConfigNode& item : list) {
      ASSIGN_OR_RETURN(ChangeConfig change, ReadChange(item));
      scenario.changes.push_back(std::move(change));
    }
  }
  if (const auto require = map.Find("require"); require.has_value()) {
    ASSIGN_OR_RETURN(scenario.require, ReadRequire(*require));
  }
  if (const auto serve = map.Find("serve"); serve.has_value()) {
    ASSIGN_OR_RETURN(scenario.serve, ReadServe(*serve));
  }
  return {};
}

// Who asks: tenants with arrival processes, or a file of requests.
Status ReadWorkload(const ConfigMap& map, Scenario& scenario) {
  const auto tenants = map.Find("tenants");
  const auto requests = map.Find("requests");
  if (tenants.has_value() == requests.has_value())
    return FailAt(map.Place(), "a scenario has either 'tenants' or 'requests'");
  if (requests.has_value()) {
    scenario.requests_place = requests->Place();
    for (std::string_view key : {"load", "arrivals", "deadlines", "horizon"}) {
      if (const auto other = map.Find(key); other.has_value())
        return FailAt(other->Place(), "'{}' does not go with a requests file", key);
    }
    if (const auto agreements = map.Find("agreements"); agreements.has_value()) {
      if (agreements->IsText()) {
        ASSIGN_OR_RETURN(scenario.promises_file, agreements->Text());
      } else {
        ASSIGN_OR_RETURN(scenario.promises, ReadPromises(*agreements));
      }
    }
    return map.ReadText("requests", scenario.requests);
  }
  if (const auto agreements = map.Find("agreements"); agreements.has_value())
    return FailAt(agreements->Place(),
                  "agreements are for a requests file; 'tenants' say themselves what they are "
                  "promised");
  ASSIGN_OR_RETURN(const auto list, tenants->List());
  std::int64_t agreements = 0;
  double floors = 0;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(TenantsConfig group, ReadTenants(item));
    const std::int64_t of_group =
        std::int64_t{group.count} *
        (group.networks_each > 0 ? group.networks_each : static_cast<int>(group.networks.size()));
    agreements += of_group;
    floors += static_cast<double>(of_group) * group.terms.promise.floor;
    if (floors > kWholeMachine)
      return FailAt(item.Place(), "floors sum to {:.6g} % of the machine", 100 * floors);
    if (agreements > kMostAgreements)
      return FailAt(item.Place(), "more than {} agreements", kMostAgreements);
    if (!group.rate.has_value() && !scenario.load.has_value())
      return FailAt(item.Place(), "how much do they ask for? give 'rate' here or 'load' above");
    scenario.tenants.push_back(std::move(group));
  }
  if (scenario.tenants.empty()) return FailAt(tenants->Place(), "no tenants");
  const bool by_rate = std::ranges::all_of(
      scenario.tenants, [](const TenantsConfig& group) { return group.rate.has_value(); });
  if (scenario.load.has_value() && by_rate)
    return FailAt(scenario.load_place,
                  "load: it changes nothing, since all tenants have a 'rate'; remove it, or the "
                  "rate of those who shall share it");
  ASSIGN_OR_RETURN(const ConfigNode horizon, map.Require("horizon"));
  scenario.horizon_place = horizon.Place();
  if (scenario.horizon == Duration::zero()) return horizon.Wrong("expected more than 0s");
  if (scenario.warm_up >= scenario.horizon)
    return FailAt(map.Find("warm_up")->Place(),
                  "warm_up is {}, and must be shorter than the horizon of {}: shorten it too, for "
                  "example by --set warm_up={}",
                  FormatDuration(scenario.warm_up), FormatDuration(scenario.horizon),
                  FormatDuration(scenario.horizon / 10));
  return {};
}

}  // namespace

bool IsGuarded(const Scenario& scenario) {
  return scenario.guard.has_value() ||
         std::ranges::any_of(scenario.changes,
                             [](const ChangeConfig& change) { return change.guard.has_value(); });
}

Result<Scenario> ParseScenario(std::string_view file, const std::string& text,
                               std::span<const Setting> settings) {
  ASSIGN_OR_RETURN(const ConfigNode root, ConfigNode::Parse(file, text, settings));
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(
          root, {"name",     "description", "seed",     "policies", "horizon",    "warm_up",
                 "period",   "late_jobs",   "platform", "networks", "hand_overs", "deadlines",
                 "arrivals", "load",        "tenants",  "requests", "beliefs",    "decision_charge",
                 "guard",    "changes",     "require",  "serve",    "agreements", "interference"}));
  Scenario scenario;
  scenario.file = file;
  scenario.networks.place = root.Place();
  const std::size_t slash = file.find_last_of('/');
  scenario.name = file.substr(slash == std::string_view::npos ? 0 : slash + 1);
  if (scenario.name.ends_with(".yaml")) scenario.name.resize(scenario.name.size() - 5);
  RETURN_IF_ERROR(ReadTop(map, scenario));
  RETURN_IF_ERROR(ReadParts(map, scenario));
  RETURN_IF_ERROR(ReadWorkload(map, scenario));
  return scenario;
}

}  // namespace fairlead
