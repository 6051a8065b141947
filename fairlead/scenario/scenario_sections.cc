#include "fairlead/scenario/scenario_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fairlead/base/printable.h"
#include "fairlead/base/units.h"
#include "fairlead/execution/onednn/instruction_cap.h"
#include "fairlead/scenario/accelerator_catalogue.h"

namespace fairlead {

namespace {

constexpr int kMostTenants = 100'000;  // in one group

// target: {zipf: [70%, 80%, 90%], exponent: 1}
Result<ZipfTargets> ReadZipf(const ConfigNode& node) {
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
  return zipf;
}

// The names under a key; none where it is missing or says * (all).
Status ReadWhom(const ConfigMap& map, std::string_view key, std::vector<std::string>& names) {
  RETURN_IF_ERROR(map.ReadTexts(key, names));
  if (names == std::vector<std::string>{"*"}) names.clear();
  return {};
}

Result<PromiseConfig> ReadPromiseOf(const ConfigNode& node) {
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(node, WithTermKeys({"tenant", "network", "weight"}, TermsOf::kScenario)));
  PromiseConfig promise;
  promise.place = node.Place();
  RETURN_IF_ERROR(ReadWhom(map, "tenant", promise.tenants));
  RETURN_IF_ERROR(ReadWhom(map, "network", promise.networks));
  RETURN_IF_ERROR(map.ReadNumber("weight", promise.weight, 1e-6, 1e6));
  if (const auto target = map.Find("target"); target.has_value() && target->IsMap())
    return target->Wrong("targets are not dealt to a requests file; give one: 90%");
  RETURN_IF_ERROR(ReadTerms(map, TermsOf::kScenario, promise.terms));
  return promise;
}

std::vector<std::string> NamesOf(const TenantsConfig& group) {
  if (group.count == 1) return {group.name};
  std::vector<std::string> names;
  const std::size_t width = std::to_string(group.count).size();
  for (int i = 1; i <= group.count; ++i)
    names.push_back(fmt::format("{}-{:0{}}", group.name, i, width));
  return names;
}

}  // namespace

Result<std::vector<PromiseConfig>> ReadPromises(const ConfigNode& node) {
  if (!node.IsList()) return node.Wrong("expected a list such as [{tenant: camera, target: 95%}]");
  ASSIGN_OR_RETURN(const auto list, node.List());
  std::vector<PromiseConfig> promises;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(PromiseConfig promise, ReadPromiseOf(item));
    promises.push_back(std::move(promise));
  }
  return promises;
}

Result<std::vector<PromiseConfig>> ParsePromises(std::string_view file, const std::string& text) {
  ASSIGN_OR_RETURN(const ConfigNode root, ConfigNode::Parse(file, text));
  return ReadPromises(root);
}

Result<TenantsConfig> ParseAgreement(const std::string& text) {
  ASSIGN_OR_RETURN(const ConfigNode node, ConfigNode::Parse("--agreement", text));
  return ReadTenants(node);
}

Status ReplaceRequests(Scenario& scenario, const std::string& path) {
  for (TenantsConfig& group : scenario.tenants) {
    if (group.zipf.has_value())
      return FailAt(group.place,
                    "with --requests: targets that are dealt (zipf) are for arrivals that are "
                    "drawn; give the group one target");
    if (group.joins != Instant{} || group.leaves != kNever)
      return FailAt(group.place, "with --requests: tenants neither join nor leave");
    std::vector<std::string> names = NamesOf(group);
    std::vector<std::string> networks = group.networks;
    scenario.promises.push_back({.tenants = std::move(names),
                                 .networks = std::move(networks),
                                 .terms = std::move(group.terms),
                                 .weight = group.weight,
                                 .expected = false,
                                 .place = std::move(group.place)});
  }
  scenario.tenants.clear();
  scenario.load.reset();
  scenario.horizon = {};
  scenario.requests = path;
  scenario.requests_place = {};
  return {};
}

Result<TenantsConfig> ReadTenants(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, WithTermKeys({"name", "count", "networks", "networks_each",
                                                       "weight", "share", "rate", "factor",
                                                       "priority", "joins", "leaves", "arrivals"},
                                                      TermsOf::kScenario)));
  TenantsConfig tenants;
  tenants.place = node.Place();
  RETURN_IF_ERROR(map.ReadText("name", tenants.name));
  if (const std::string why = WhyNoName(tenants.name, 100); !why.empty())
    return map.Find("name")->Wrong(why);
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
  if (const auto target = map.Find("target"); target.has_value() && target->IsMap()) {
    ASSIGN_OR_RETURN(tenants.zipf, ReadZipf(*target));
  }
  RETURN_IF_ERROR(
      ReadTerms(map, TermsOf::kScenario, tenants.terms, tenants.zipf.has_value() ? "target" : ""));
  if (tenants.terms.Has("deadline") && map.Has("factor"))
    return FailAt(map.Find("deadline")->Place(), "deadline and factor exclude each other");
  RETURN_IF_ERROR(map.ReadInteger("priority", tenants.priority, 0, 1'000'000));
  RETURN_IF_ERROR(map.ReadInstant("joins", tenants.joins));
  RETURN_IF_ERROR(map.ReadInstant("leaves", tenants.leaves));
  if (tenants.leaves <= tenants.joins) return FailAt(node.Place(), "leaves must come after joins");
  if (const auto arrivals = map.Find("arrivals"); arrivals.has_value()) {
    ASSIGN_OR_RETURN(tenants.arrivals, ReadArrivals(*arrivals));
  }
  return tenants;
}

namespace {

struct Operator {
  std::string_view text;
  Comparison comparison;
};

// Longer ones first, so that '>=' is not read as '>'.
constexpr std::array<Operator, 6> kOperators = {{{">=", Comparison::kAtLeast},
                                                 {"<=", Comparison::kAtMost},
                                                 {"==", Comparison::kEqual},
                                                 {">", Comparison::kAbove},
                                                 {"<", Comparison::kBelow},
                                                 {"=", Comparison::kEqual}}};

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<ObjectiveParts> SplitObjective(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=");
  if (at != std::string_view::npos) {
    const std::string_view rest = text.substr(at);
    const auto used = std::ranges::find_if(
        kOperators, [rest](const Operator& candidate) { return rest.starts_with(candidate.text); });
    const std::string_view figure = Trimmed(text.substr(0, at));
    const std::string_view bound = Trimmed(rest.substr(used->text.size()));
    if (bound.starts_with('<') || bound.starts_with('>') || bound.starts_with('='))
      return Fail(
          "'{}' is not an objective: comparisons are >= <= > < =; expected for example "
          "hit_rate>=80%",
          text);
    if (!figure.empty() && !bound.empty())
      return ObjectiveParts{std::string(figure), used->comparison, std::string(bound)};
  }
  return Fail("'{}' is not an objective; expected for example hit_rate>=80%", text);
}

// require: {fairlead: ['quiet.hit_rate>=99%', 'promises_kept>=97%']}
Result<std::vector<RequireConfig>> ReadRequire(const ConfigNode& node) {
  if (!node.IsMap())
    return node.Wrong(
        "expected policies and what is asked of each, such as {fairlead: ['hit_rate>=80%']}");
  ASSIGN_OR_RETURN(const auto entries, node.Entries());
  std::vector<RequireConfig> require;
  for (const ConfigEntry& entry : entries) {
    ASSIGN_OR_RETURN(const auto list, entry.value.List());
    for (const ConfigNode& item : list) {
      ASSIGN_OR_RETURN(std::string text, item.Text());
      const auto parts = SplitObjective(text);
      if (!parts.has_value()) return item.Wrong(parts.error().message);
      require.push_back({{entry.key, entry.place}, std::move(text), item.Place()});
    }
  }
  return require;
}

namespace {

constexpr int kMostAccelerators = 4'096;
constexpr int kMostCores = 4'096;

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

}  // namespace

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

// A file, or {hand_over: 5us, take_over: 50us, move: {fixed: 20us, bandwidth: 8GB/s}}.
Status ReadHandOvers(const ConfigNode& node, HandOversConfig& hand_overs) {
  constexpr Duration kLongest = HandOverCosts::kLongestPart;
  hand_overs.place = node.Place();
  hand_overs.given = true;
  if (node.IsText()) {
    ASSIGN_OR_RETURN(hand_overs.file, node.Text());
    return {};
  }
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"hand_over", "take_over", "move"}));
  RETURN_IF_ERROR(map.ReadDuration("hand_over", hand_overs.hand_over, kLongest));
  RETURN_IF_ERROR(map.ReadDuration("take_over", hand_overs.take_over, kLongest));
  const auto move = map.Find("move");
  if (!move.has_value()) return {};
  ASSIGN_OR_RETURN(const ConfigMap parts, ConfigMap::Open(*move, {"fixed", "bandwidth"}));
  RETURN_IF_ERROR(parts.ReadDuration("fixed", hand_overs.move.fixed, kLongest));
  if (const auto bandwidth = parts.Find("bandwidth"); bandwidth.has_value()) {
    ASSIGN_OR_RETURN(hand_overs.move.bandwidth, bandwidth->AsBandwidth());
  }
  return {};
}

namespace {

// Unless it is named.
constexpr std::string_view kUsualFallback = "fairlead";

Result<Duration> ParseLimit(const ConfigNode& node, std::string_view or_else) {
  ASSIGN_OR_RETURN(const std::string text, node.Text());
  Result<Duration> time = ParseDuration(text);
  if (!time.has_value() || *time == Duration::zero() || *time > GuardOptions::kLongestTime)
    return node.Wrong(fmt::format("'{}' is no time above 0s, up to {}; expected for example 10ms{}",
                                  text, FormatDuration(GuardOptions::kLongestTime), or_else));
  return time;
}

Status ReadLimit(const ConfigMap& map, std::string_view key, Duration& out) {
  const auto node = map.Find(key);
  if (!node.has_value()) return {};
  ASSIGN_OR_RETURN(out, ParseLimit(*node, ""));
  return {};
}

}  // namespace

// guard: {policy: fairlead, decision: 1ms, strikes: 3}
Result<GuardOptions> ReadGuard(const ConfigNode& node, Place& place) {
  place = node.Place();
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(node, {"policy", "decision", "idle", "strikes", "within", "back", "clock"}));
  GuardOptions guard{.fallback = std::string(kUsualFallback)};
  if (const auto policy = map.Find("policy"); policy.has_value()) {
    place = policy->Place();
    ASSIGN_OR_RETURN(guard.fallback, policy->Text());
  }
  RETURN_IF_ERROR(ReadLimit(map, "decision", guard.decision));
  RETURN_IF_ERROR(ReadLimit(map, "idle", guard.idle));
  RETURN_IF_ERROR(map.ReadInteger("strikes", guard.strikes, 1, GuardOptions::kMostStrikes));
  RETURN_IF_ERROR(ReadLimit(map, "within", guard.within));
  if (const auto back = map.Find("back"); back.has_value()) {
    ASSIGN_OR_RETURN(const std::string text, back->Text());
    guard.back.reset();
    if (text != "never") {
      ASSIGN_OR_RETURN(guard.back, ParseLimit(*back, " or never"));
    }
  }
  if (const auto clock = map.Find("clock"); clock.has_value()) {
    ASSIGN_OR_RETURN(const std::size_t choice, clock->AsOneOf(kDecisionClockNames));
    guard.clock = static_cast<DecisionClock>(choice);
  }
  return guard;
}

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

}  // namespace fairlead
