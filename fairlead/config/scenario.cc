#include "fairlead/config/scenario.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "fairlead/base/units.h"
#include "fairlead/config/policy_registry.h"
#include "fairlead/config/ready_platforms.h"
#include "fairlead/config/yaml_reader.h"
#include "fairlead/execution/onednn/instruction_cap.h"
#include "fairlead/fairness/ledger.h"

namespace fairlead {
namespace {

// More than a hundred times what a big machine serves; beyond it a typing error is likelier.
constexpr int kMostTenants = 100'000;
constexpr int kMostAccelerators = 4'096;
constexpr int kMostCores = 4'096;

Result<ArrivalOptions> ReadArrivals(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"process", "shape", "busy", "quiet", "ratio", "jitter"}));
  ASSIGN_OR_RETURN(const ConfigNode process_node, map.Require("process"));
  ASSIGN_OR_RETURN(const std::string process, process_node.Text());
  const auto refuse_others = [&](std::initializer_list<std::string_view> own) -> Status {
    for (std::string_view key : {"shape", "busy", "quiet", "ratio", "jitter"}) {
      const auto other = map.Find(key);
      if (other.has_value() && std::ranges::find(own, key) == own.end())
        return FailAt(other->Place(), "{} arrivals have no '{}'", process, key);
    }
    return {};
  };
  ArrivalOptions options;
  const Duration unset{1};  // load or rate sets it, and CheckArrivals follows then
  if (process == "pareto") {
    RETURN_IF_ERROR(refuse_others({"shape"}));
    ParetoArrivals pareto{.mean_gap = unset};
    RETURN_IF_ERROR(map.ReadNumber("shape", pareto.shape, 1.01, 100));
    options = pareto;
  } else if (process == "poisson") {
    RETURN_IF_ERROR(refuse_others({}));
    options = PoissonArrivals{.mean_gap = unset};
  } else if (process == "bursty") {
    RETURN_IF_ERROR(refuse_others({"busy", "quiet", "ratio"}));
    BurstyArrivals bursty{.mean_gap = unset,
                          .mean_busy = std::chrono::milliseconds{100},
                          .mean_quiet = std::chrono::milliseconds{900}};
    RETURN_IF_ERROR(map.ReadDuration("busy", bursty.mean_busy));
    RETURN_IF_ERROR(map.ReadDuration("quiet", bursty.mean_quiet));
    RETURN_IF_ERROR(map.ReadNumber("ratio", bursty.rate_ratio, 1, 1e6));
    options = bursty;
  } else if (process == "periodic") {
    RETURN_IF_ERROR(refuse_others({"jitter"}));
    PeriodicArrivals periodic;
    RETURN_IF_ERROR(map.ReadDuration("jitter", periodic.jitter));
    periodic.period = std::max(periodic.jitter, unset);
    options = periodic;
  } else {
    constexpr std::array<std::string_view, 4> kProcesses = {"pareto", "poisson", "bursty",
                                                            "periodic"};
    return FailAt(process_node.Place(), "unknown process '{}'{}", process,
                  Suggest(process, kProcesses));
  }
  if (const Status status = CheckArrivals(options); !status.has_value())
    return FailAt(node.Place(), "{}", status.error().message);
  return options;
}

Status TakeReadyPlatform(const ConfigNode& node, PlatformConfig& platform) {
  std::vector<std::string_view> names;
  for (const ReadyPlatform& ready : ReadyPlatforms()) names.push_back(ready.name);
  ASSIGN_OR_RETURN(const std::size_t chosen, node.AsOneOf(names));
  const ReadyPlatform& ready = ReadyPlatforms()[chosen];
  platform.ready = ready.name;
  platform.measured = ready.measured;
  platform.bandwidth = ready.bandwidth;
  platform.accelerators = ready.accelerators;
  for (AcceleratorsConfig& accelerators : platform.accelerators) accelerators.place = node.Place();
  return {};
}

// cores: [0, 1], instructions: avx2
Status ReadCores(const ConfigMap& map, const PlatformConfig& platform,
                 AcceleratorsConfig& accelerators) {
  const auto instructions = map.Find("instructions");
  const auto cores = map.Find("cores");
  if (!cores.has_value()) {
    if (instructions.has_value()) return instructions->Wrong("there are no 'cores' to use them");
    return {};
  }
  const auto taken = [](const AcceleratorsConfig& by, std::int64_t core) {
    return std::ranges::find(by.cores, core) != by.cores.end();
  };
  ASSIGN_OR_RETURN(const auto list, cores->List());
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const std::int64_t core, item.AsInteger(0, kMostCores - 1));
    const bool before = std::ranges::any_of(
        platform.accelerators, [&](const AcceleratorsConfig& other) { return taken(other, core); });
    if (before || taken(accelerators, core))
      return item.Wrong(fmt::format("core {} stands twice", core));
    accelerators.cores.push_back(static_cast<int>(core));
  }
  if (accelerators.cores.empty() || std::ssize(accelerators.cores) % accelerators.count != 0)
    return cores->Wrong(fmt::format("{} cores for {} accelerators; expected as many for each",
                                    accelerators.cores.size(), accelerators.count));
  if (!instructions.has_value()) return {};
  ASSIGN_OR_RETURN(accelerators.instructions, instructions->Text());
  if (FindInstructionCap(accelerators.instructions).has_value()) return {};
  constexpr std::array<std::string_view, 5> kCaps = {"sse41", "avx", "avx2", "avx512", "none"};
  return FailAt(instructions->Place(), "unknown instructions '{}'{}", accelerators.instructions,
                Suggest(accelerators.instructions, kCaps));
}

Status ReadPlatform(const ConfigNode& node, PlatformConfig& platform) {
  if (node.IsText()) return TakeReadyPlatform(node, platform);
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"accelerators", "bandwidth", "sharing"}));
  if (const auto bandwidth = map.Find("bandwidth"); bandwidth.has_value()) {
    ASSIGN_OR_RETURN(platform.bandwidth, bandwidth->AsBandwidth());
  }
  if (const auto sharing = map.Find("sharing"); sharing.has_value()) {
    ASSIGN_OR_RETURN(const std::string text, sharing->Text());
    const auto rule = ParseSharing(text);
    if (!rule.has_value()) return sharing->Wrong(rule.error().message);
    platform.sharing = *rule;
  }
  ASSIGN_OR_RETURN(const ConfigNode list_node, map.Require("accelerators"));
  ASSIGN_OR_RETURN(const auto list, list_node.List());
  int total = 0;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(
        const ConfigMap entry,
        ConfigMap::Open(item, {"kind", "count", "units", "switching", "cores", "instructions"}));
    AcceleratorsConfig accelerators;
    accelerators.place = item.Place();
    RETURN_IF_ERROR(entry.Require("kind"));
    RETURN_IF_ERROR(entry.ReadText("kind", accelerators.kind));
    RETURN_IF_ERROR(entry.ReadInteger("count", accelerators.count, 1, kMostAccelerators));
    RETURN_IF_ERROR(entry.ReadInteger("units", accelerators.units, 1, 100'000));
    RETURN_IF_ERROR(entry.ReadDuration("switching", accelerators.switching, std::chrono::hours{1}));
    RETURN_IF_ERROR(ReadCores(entry, platform, accelerators));
    for (const AcceleratorsConfig& other : platform.accelerators) {
      if (other.kind == accelerators.kind)
        return FailAt(item.Place(), "kind '{}' stands twice; use count", other.kind);
    }
    total += accelerators.count;
    platform.accelerators.push_back(std::move(accelerators));
  }
  if (total == 0) return FailAt(list_node.Place(), "no accelerators");
  if (total > kMostAccelerators)
    return FailAt(list_node.Place(), "{} accelerators; at most {}", total, kMostAccelerators);
  return {};
}

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

Status ReadNetworks(const ConfigNode& node, NetworksConfig& networks) {
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
  if (segments.has_value()) {
    ASSIGN_OR_RETURN(const std::string text, segments->Text());
    constexpr std::array<std::string_view, 3> kUnits = {"layers", "blocks", "whole"};
    const auto found = std::ranges::find(kUnits, text);
    if (found == kUnits.end())
      return FailAt(segments->Place(), "segments: unknown unit '{}'{}", text,
                    Suggest(text, kUnits));
    networks.segments.unit = static_cast<SegmentsConfig::Unit>(found - kUnits.begin());
  }
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

// target: 80%, or target: {zipf: [70%, 80%, 90%], exponent: 1}
Status ReadTarget(const ConfigNode& node, TenantsConfig& tenants) {
  if (!node.IsMap()) {
    ASSIGN_OR_RETURN(tenants.target, node.AsRate());
    return {};
  }
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"zipf", "exponent"}));
  ASSIGN_OR_RETURN(const ConfigNode rates, map.Require("zipf"));
  ASSIGN_OR_RETURN(const auto list, rates.List());
  ZipfTargets zipf;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const double rate, item.AsRate());
    zipf.rates.push_back(rate);
  }
  if (zipf.rates.empty() || zipf.rates.size() > 1000)
    return FailAt(rates.Place(), "zipf needs 1 to 1000 rates");
  RETURN_IF_ERROR(map.ReadNumber("exponent", zipf.exponent, 0, 10));
  tenants.zipf = std::move(zipf);
  return {};
}

// rate: 12/s
Result<double> ReadRequestRate(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const std::string text, node.Text());
  if (!text.ends_with("/s"))
    return node.Wrong(fmt::format("'{}' lacks its unit; expected for example 12/s", text));
  const auto rate = ParseNumber(std::string_view(text).substr(0, text.size() - 2));
  if (!rate.has_value() || *rate <= 0 || *rate > 1e9)
    return node.Wrong(fmt::format("'{}' is not a rate above 0/s, up to 1000000000/s", text));
  return *rate;
}

Result<TenantsConfig> ReadTenants(const ConfigNode& node) {
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(node, {"name", "count", "networks", "networks_each", "weight", "share",
                             "rate", "factor", "deadline", "target", "window", "max_misses",
                             "price", "penalty", "priority", "joins", "leaves", "arrivals"}));
  TenantsConfig tenants;
  tenants.place = node.Place();
  RETURN_IF_ERROR(map.ReadText("name", tenants.name));
  if (tenants.name.size() > 100 ||
      std::ranges::any_of(tenants.name, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    return map.Find("name")->Wrong("expected up to 100 printable characters");
  RETURN_IF_ERROR(map.ReadInteger("count", tenants.count, 1, kMostTenants));
  ASSIGN_OR_RETURN(const ConfigNode networks, map.Require("networks"));
  tenants.networks_place = networks.Place();
  RETURN_IF_ERROR(map.ReadTexts("networks", tenants.networks));
  if (tenants.networks.empty()) return networks.Wrong("expected at least one");
  std::set<std::string_view> seen;
  for (const std::string& network : tenants.networks) {
    if (!seen.insert(network).second)
      return networks.Wrong(fmt::format("'{}' stands twice", network));
  }
  RETURN_IF_ERROR(map.ReadInteger("networks_each", tenants.networks_each, 1,
                                  static_cast<int>(tenants.networks.size())));
  RETURN_IF_ERROR(map.ReadNumber("weight", tenants.weight, 1e-6, 1e6));
  RETURN_IF_ERROR(map.ReadNumber("share", tenants.share, 1e-6, 1e6));
  if (const auto rate = map.Find("rate"); rate.has_value()) {
    ASSIGN_OR_RETURN(tenants.rate, ReadRequestRate(*rate));
    if (map.Has("share")) return FailAt(rate->Place(), "rate and share exclude each other");
  }
  RETURN_IF_ERROR(map.ReadNumber("factor", tenants.qos_factor, 0.01, 1e6));
  if (const auto deadline = map.Find("deadline"); deadline.has_value()) {
    ASSIGN_OR_RETURN(tenants.deadline, deadline->AsDuration());
    if (map.Has("factor"))
      return FailAt(deadline->Place(), "deadline and factor exclude each other");
  }
  if (const auto target = map.Find("target"); target.has_value())
    RETURN_IF_ERROR(ReadTarget(*target, tenants));
  RETURN_IF_ERROR(map.ReadInteger("window", tenants.window, 1, FairnessLedger::kLongestWindow));
  RETURN_IF_ERROR(
      map.ReadInteger("max_misses", tenants.max_misses, 0, FairnessLedger::kLongestWindow));
  if (map.Has("window") != map.Has("max_misses"))
    return FailAt(node.Place(), "window and max_misses belong together");
  if (tenants.window > 0 && tenants.max_misses >= tenants.window)
    return FailAt(map.Find("max_misses")->Place(), "max_misses must be below window");
  RETURN_IF_ERROR(map.ReadNumber("price", tenants.price, 0, 1e12));
  RETURN_IF_ERROR(map.ReadNumber("penalty", tenants.penalty, 0, 1e12));
  RETURN_IF_ERROR(map.ReadInteger("priority", tenants.priority, 0, 1'000'000));
  RETURN_IF_ERROR(map.ReadInstant("joins", tenants.joins));
  RETURN_IF_ERROR(map.ReadInstant("leaves", tenants.leaves));
  if (tenants.leaves <= tenants.joins) return FailAt(node.Place(), "leaves must come after joins");
  if (const auto arrivals = map.Find("arrivals"); arrivals.has_value()) {
    ASSIGN_OR_RETURN(tenants.arrivals, ReadArrivals(*arrivals));
  }
  return tenants;
}

Status ReadBeliefs(const ConfigNode& node, BeliefError& beliefs) {
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"bias", "noise"}));
  RETURN_IF_ERROR(map.ReadNumber("bias", beliefs.bias, -0.99, 100));
  return map.ReadNumber("noise", beliefs.noise, 0, 5);
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
                   ConfigMap::Open(node, {"at", "accelerator", "state", "policy", "tenant",
                                          "network", "target"}));
  ChangeConfig change;
  change.place = node.Place();
  RETURN_IF_ERROR(map.Require("at"));
  RETURN_IF_ERROR(map.ReadInstant("at", change.at));
  RETURN_IF_ERROR(map.ReadText("accelerator", change.accelerator));
  RETURN_IF_ERROR(map.ReadText("policy", change.policy));
  RETURN_IF_ERROR(map.ReadText("tenant", change.tenant));
  RETURN_IF_ERROR(map.ReadText("network", change.network));
  const int subjects = static_cast<int>(map.Has("accelerator")) +
                       static_cast<int>(map.Has("policy")) + static_cast<int>(map.Has("tenant"));
  if (subjects != 1)
    return FailAt(node.Place(), "a change names exactly one of accelerator, policy and tenant");
  if (map.Has("state") != map.Has("accelerator"))
    return FailAt(node.Place(), "accelerator and state belong together");
  if (map.Has("tenant") != (map.Has("network") && map.Has("target")))
    return FailAt(node.Place(), "tenant, network and target belong together");
  if (const auto state = map.Find("state"); state.has_value()) {
    ASSIGN_OR_RETURN(const std::string text, state->Text());
    if (text != "away" && text != "back")
      return state->Wrong(fmt::format("'{}' is neither away nor back", text));
    change.away = text == "away";
  }
  if (const auto target = map.Find("target"); target.has_value()) {
    ASSIGN_OR_RETURN(change.target, target->AsRate());
  }
  return change;
}

Status ReadPolicies(const ConfigMap& map, std::vector<std::string>& policies) {
  const auto node = map.Find("policies");
  if (!node.has_value()) return {};
  ASSIGN_OR_RETURN(const auto list, node->List());
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const std::string text, item.Text());
    const auto specs = ParsePolicyList(text);
    if (!specs.has_value()) return item.Wrong(specs.error().message);
    for (const std::string& spec : *specs) {
      if (ChoosePolicy(spec)->needs.plan)
        return item.Wrong(fmt::format("{} takes --plan, not a scenario", spec));
      if (std::ranges::find(policies, spec) != policies.end())
        return item.Wrong(fmt::format("{} stands twice", spec));
      policies.push_back(spec);
    }
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
  if (const auto deadlines = map.Find("deadlines"); deadlines.has_value())
    RETURN_IF_ERROR(ReadDeadlines(*deadlines, scenario));
  if (const auto arrivals = map.Find("arrivals"); arrivals.has_value()) {
    ASSIGN_OR_RETURN(scenario.arrivals, ReadArrivals(*arrivals));
  }
  if (const auto beliefs = map.Find("beliefs"); beliefs.has_value())
    RETURN_IF_ERROR(ReadBeliefs(*beliefs, scenario.beliefs));
  if (const auto charge = map.Find("decision_charge"); charge.has_value())
    RETURN_IF_ERROR(ReadCharge(*charge, scenario.charge));
  if (const auto changes = map.Find("changes"); changes.has_value()) {
    ASSIGN_OR_RETURN(const auto list, changes->List());
    for (const ConfigNode& item : list) {
      ASSIGN_OR_RETURN(ChangeConfig change, ReadChange(item));
      scenario.changes.push_back(std::move(change));
    }
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
    return map.ReadText("requests", scenario.requests);
  }
  ASSIGN_OR_RETURN(const auto list, tenants->List());
  std::int64_t agreements = 0;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(TenantsConfig group, ReadTenants(item));
    agreements +=
        std::int64_t{group.count} *
        (group.networks_each > 0 ? group.networks_each : static_cast<int>(group.networks.size()));
    if (agreements > kMostTenants)
      return FailAt(item.Place(), "more than {} agreements", kMostTenants);
    if (!group.rate.has_value() && !scenario.load.has_value())
      return FailAt(item.Place(), "how much do they ask for? give 'rate' here or 'load' above");
    scenario.tenants.push_back(std::move(group));
  }
  if (scenario.tenants.empty()) return FailAt(tenants->Place(), "no tenants");
  ASSIGN_OR_RETURN(const ConfigNode horizon, map.Require("horizon"));
  scenario.horizon_place = horizon.Place();
  if (scenario.horizon == Duration::zero()) return horizon.Wrong("expected more than 0s");
  if (scenario.warm_up >= scenario.horizon)
    return FailAt(map.Find("warm_up")->Place(), "warm_up must be shorter than the horizon");
  return {};
}

}  // namespace

Result<Scenario> ParseScenario(std::string_view file, const std::string& text) {
  ASSIGN_OR_RETURN(const ConfigNode root, ConfigNode::Parse(file, text));
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(root, {"name", "description", "seed", "policies", "horizon",
                                          "warm_up", "period", "late_jobs", "platform", "networks",
                                          "deadlines", "arrivals", "load", "tenants", "requests",
                                          "beliefs", "decision_charge", "changes"}));
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
