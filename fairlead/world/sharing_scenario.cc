#include "fairlead/world/sharing_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "fairlead/costs/profile.h"
#include "fairlead/scenario/yaml_reader.h"
#include "fairlead/sharing/agent_queues.h"
#include "fairlead/world/mechanism_registry.h"

namespace fairlead {
namespace {

constexpr int kMostAgents = 10'000;
constexpr int kMostShared = 100'000;
constexpr double kFastest = 1e9;  // inferences in a round
// What a world may need at most: queues, holders of all rounds, arrivals of a run.
constexpr std::int64_t kMostQueues = 10'000'000;
constexpr std::int64_t kMostHolders = 100'000'000;
constexpr double kMostArrivals = 1e8;

struct KindConfig {
  std::string name;
  int count = 1;
};

struct ApplicationConfig {
  std::string name;
  std::vector<std::int64_t> rates;  // by kind
};

struct AgentsConfig {
  std::string name;
  int count = 1;
  int weight = 1;
  double load = 0;  // its own queue utility; 0: the scenario's
};

// What all worlds of a scenario share.
struct SharingDraft {
  std::vector<KindConfig> kinds;
  std::vector<ApplicationConfig> applications;
  std::vector<AgentsConfig> agents;
  std::optional<Profile> profile;
  Duration round{};  // with a profile
  int rounds = 300;
  int deadline = 0;
  double arrivals = 0;  // for each unit of weight at 100 %; 0: what its share could do
  QueueLayout queues = QueueLayout::kSeparate;
  bool combined = false;  // each agent runs all applications for equal times; else one, in turns
};

Status ReadKinds(const ConfigNode& node, SharingDraft& draft) {
  ASSIGN_OR_RETURN(const auto list, node.List());
  int all = 0;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(item, {"kind", "count"}));
    KindConfig kind;
    RETURN_IF_ERROR(map.Require("kind"));
    RETURN_IF_ERROR(map.ReadText("kind", kind.name));
    RETURN_IF_ERROR(map.ReadInteger("count", kind.count, 1, kMostShared));
    if (std::ranges::find(draft.kinds, kind.name, &KindConfig::name) != draft.kinds.end())
      return item.Wrong(fmt::format("kind '{}' stands twice", kind.name));
    all += kind.count;
    if (all > kMostShared) return item.Wrong(fmt::format("more than {} accelerators", kMostShared));
    draft.kinds.push_back(std::move(kind));
  }
  if (draft.kinds.empty()) return node.Wrong("expected at least one kind");
  return {};
}

// The time that a network's layers take together on a kind, on as many units as are measured; none
// where one of them cannot run there.
Duration LatencyOn(const Profile& profile, NetworkId network, std::string_view kind) {
  std::vector<const CostRow*> best(profile.networks[network.index()].size());
  for (const CostRow& row : profile.rows) {
    if (row.network != network || profile.kinds[row.kind.index()] != kind ||
        row.configuration.batch != 1)
      continue;
    const CostRow*& of_layer = best[row.segment.index()];
    if (of_layer == nullptr || of_layer->configuration.units < row.configuration.units)
      of_layer = &row;
  }
  Duration all{};
  for (const CostRow* row : best) {
    if (row == nullptr) return Duration::zero();
    all += row->cost.latency;
  }
  return all;
}

Status ReadNetworkRates(const ConfigNode& node, const SharingDraft& draft,
                        ApplicationConfig& application) {
  if (!draft.profile.has_value())
    return node.Wrong("expected profile: and round: beside the applications, to tell its rates");
  ASSIGN_OR_RETURN(const std::string name, node.Text());
  const auto& networks = draft.profile->networks;
  const auto found = std::ranges::find(networks, name, &NetworkGraph::name);
  if (found == networks.end())
    return node.Wrong(fmt::format("the profile has no network '{}'", name));
  const NetworkId network{static_cast<std::size_t>(found - networks.begin())};
  for (const KindConfig& kind : draft.kinds) {
    const Duration latency = LatencyOn(*draft.profile, network, kind.name);
    if (latency <= Duration::zero())
      return node.Wrong(
          fmt::format("the profile cannot tell how long '{}' takes on '{}'", name, kind.name));
    const double rate = Seconds(draft.round) / Seconds(latency);
    if (!(rate >= 1e-6 && rate <= kFastest))
      return node.Wrong(
          fmt::format("{} inferences of '{}' in a round on '{}'; expected 1e-06 to "
                      "{}",
                      rate, name, kind.name, kFastest));
    application.rates.push_back(std::llround(rate * static_cast<double>(kInference)));
  }
  return {};
}

Status ReadProfile(const ConfigMap& map, std::string_view file, const FileReader& read,
                   SharingDraft& draft) {
  if (!map.Has("profile") && !map.Has("round")) return {};
  ASSIGN_OR_RETURN(const ConfigNode node, map.Require("profile"));
  RETURN_IF_ERROR(map.Require("round"));
  RETURN_IF_ERROR(map.ReadDuration("round", draft.round));
  if (draft.round <= Duration::zero()) return map.Find("round")->Wrong("expected more than 0");
  ASSIGN_OR_RETURN(const std::string name, node.Text());
  const std::string path = Beside(std::string(file), name);
  const auto text = read(path);
  if (!text.has_value()) return node.Wrong(text.error().message);
  ASSIGN_OR_RETURN(draft.profile, ParseProfile(path, *text));
  return {};
}

Status ReadApplication(const ConfigNode& item, SharingDraft& draft) {
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(item, {"name", "rates", "network"}));
  ApplicationConfig application;
  RETURN_IF_ERROR(map.Require("name"));
  RETURN_IF_ERROR(map.ReadText("name", application.name));
  if (const auto network = map.Find("network"); network.has_value()) {
    if (map.Has("rates")) return network->Wrong("rates: stands beside it; expected one of them");
    RETURN_IF_ERROR(ReadNetworkRates(*network, draft, application));
    draft.applications.push_back(std::move(application));
    return {};
  }
  ASSIGN_OR_RETURN(const ConfigNode rates, map.Require("rates"));
  std::vector<std::string_view> names;
  for (const KindConfig& kind : draft.kinds) names.push_back(kind.name);
  ASSIGN_OR_RETURN(const ConfigMap by_kind, ConfigMap::Open(rates, names));
  for (const KindConfig& kind : draft.kinds) {
    ASSIGN_OR_RETURN(const ConfigNode rate, by_kind.Require(kind.name));
    ASSIGN_OR_RETURN(const double inferences, rate.AsNumber(1e-6, kFastest));
    application.rates.push_back(std::llround(inferences * static_cast<double>(kInference)));
  }
  draft.applications.push_back(std::move(application));
  return {};
}

Status ReadAgents(const ConfigNode& node, SharingDraft& draft) {
  ASSIGN_OR_RETURN(const auto list, node.List());
  int all = 0;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const ConfigMap map,
                     ConfigMap::Open(item, {"name", "count", "weight", "queue_utility"}));
    AgentsConfig agents;
    RETURN_IF_ERROR(map.Require("name"));
    RETURN_IF_ERROR(map.ReadText("name", agents.name));
    RETURN_IF_ERROR(map.ReadInteger("count", agents.count, 1, kMostAgents));
    RETURN_IF_ERROR(
        map.ReadInteger("weight", agents.weight, 1, static_cast<int>(Market::kMostWeight)));
    if (const auto load = map.Find("queue_utility"); load.has_value()) {
      ASSIGN_OR_RETURN(agents.load, load->AsRate());
      if (agents.load <= 0) return load->Wrong("expected more than 0%");
    }
    all += agents.count;
    if (all > kMostAgents) return item.Wrong(fmt::format("more than {} agents", kMostAgents));
    draft.agents.push_back(std::move(agents));
  }
  if (draft.agents.empty()) return node.Wrong("expected at least one group of agents");
  return {};
}

std::vector<std::int64_t> RatesOf(const SharingDraft& draft, int agent) {
  const auto& all = draft.applications;
  if (!draft.combined) return all[static_cast<std::size_t>(agent) % all.size()].rates;
  std::vector<std::int64_t> rates(draft.kinds.size());
  for (const ApplicationConfig& application : all) {
    for (std::size_t k = 0; k < rates.size(); ++k) rates[k] += application.rates[k];
  }
  for (std::int64_t& rate : rates)
    rate = std::max<std::int64_t>(1, rate / static_cast<std::int64_t>(all.size()));
  return rates;
}

Result<RoundWorld> BuildRoundWorld(const SharingDraft& draft, double load) {
  std::vector<SharingAgent> agents;
  std::vector<double> loads;
  for (const AgentsConfig& group : draft.agents) {
    for (int i = 0; i < group.count; ++i) {
      agents.push_back({.name = fmt::format("{}.{}", group.name, i), .weight = group.weight});
      loads.push_back(group.load > 0 ? group.load : load);
    }
  }
  std::vector<AcceleratorGroup> groups;
  for (std::size_t k = 0; k < draft.kinds.size(); ++k)
    groups.insert(groups.end(), static_cast<std::size_t>(draft.kinds[k].count),
                  {.kind = static_cast<int>(k), .count = 1});
  if (const auto queues = static_cast<std::int64_t>(agents.size() * groups.size());
      queues > kMostQueues)
    return Fail("{} agents and {} accelerators make {} queues; expected {} at most", agents.size(),
                groups.size(), queues, kMostQueues);
  if (const auto holders = static_cast<std::int64_t>(groups.size()) * draft.rounds;
      holders > kMostHolders)
    return Fail("{} accelerators in {} rounds have {} holders; expected {} at most", groups.size(),
                draft.rounds, holders, kMostHolders);
  ASSIGN_OR_RETURN(Market market, Market::Make(std::move(agents), groups));
  RoundWorld world{.market = std::move(market), .rates = {}, .arrivals = {}};
  world.rounds = draft.rounds;
  world.deadline = draft.deadline;
  world.queues = draft.queues;
  for (int a = 0; a < world.market.agents(); ++a) {
    const std::vector<std::int64_t> rates = RatesOf(draft, a);
    double all = 0;  // inferences that all accelerators do for it in a round
    for (std::size_t k = 0; k < draft.kinds.size(); ++k) {
      world.rates.push_back(rates[k]);
      all += static_cast<double>(rates[k]) / static_cast<double>(kInference) * draft.kinds[k].count;
    }
    const double share = draft.arrivals > 0
                             ? draft.arrivals
                             : all / static_cast<double>(world.market.total_weight());
    world.arrivals.push_back(loads[static_cast<std::size_t>(a)] * share *
                             static_cast<double>(world.market.weight(a)));
  }
  const double arrivals =
      std::accumulate(world.arrivals.begin(), world.arrivals.end(), 0.0) * world.rounds;
  if (arrivals > kMostArrivals)
    return Fail("{:.3g} inferences would arrive in {} rounds; expected {:.0g} at most", arrivals,
                world.rounds, kMostArrivals);
  return world;
}

Status ReadDraft(const ConfigMap& map, std::string_view file, const FileReader& read,
                 SharingDraft& draft) {
  ASSIGN_OR_RETURN(const ConfigNode kinds, map.Require("accelerators"));
  RETURN_IF_ERROR(ReadKinds(kinds, draft));
  RETURN_IF_ERROR(ReadProfile(map, file, read, draft));
  ASSIGN_OR_RETURN(const ConfigNode applications, map.Require("applications"));
  ASSIGN_OR_RETURN(const auto list, applications.List());
  for (const ConfigNode& item : list) RETURN_IF_ERROR(ReadApplication(item, draft));
  if (draft.applications.empty()) return applications.Wrong("expected at least one application");
  ASSIGN_OR_RETURN(const ConfigNode agents, map.Require("agents"));
  RETURN_IF_ERROR(ReadAgents(agents, draft));
  RETURN_IF_ERROR(map.ReadInteger("rounds", draft.rounds, 1, 1'000'000));
  RETURN_IF_ERROR(map.ReadInteger("deadline", draft.deadline, 0, 1'000'000));
  RETURN_IF_ERROR(map.ReadNumber("arrivals", draft.arrivals, 0, kFastest));
  if (const auto queues = map.Find("queues"); queues.has_value()) {
    static constexpr std::array<std::string_view, 2> kLayouts = {"separate", "pooled"};
    ASSIGN_OR_RETURN(const std::size_t layout, queues->AsOneOf(kLayouts));
    draft.queues = layout == 0 ? QueueLayout::kSeparate : QueueLayout::kPooled;
  }
  if (const auto runs = map.Find("agents_run"); runs.has_value()) {
    static constexpr std::array<std::string_view, 2> kRuns = {"one", "all"};
    ASSIGN_OR_RETURN(const std::size_t word, runs->AsOneOf(kRuns));
    draft.combined = word == 1;
  }
  return {};
}

Status ReadMechanisms(const ConfigMap& map, SharingScenario& scenario) {
  std::vector<std::string> named = {"all"};
  RETURN_IF_ERROR(map.ReadTexts("mechanisms", named));
  std::string joined;
  for (const std::string& name : named) joined += (joined.empty() ? "" : ",") + name;
  auto list = ParseMechanismList(joined);
  if (!list.has_value())
    return map.Has("mechanisms") ? map.Find("mechanisms")->Wrong(list.error().message)
                                 : Fail("{}", list.error().message);
  scenario.mechanisms = std::move(*list);
  if (const auto thresholds = map.Find("thresholds"); thresholds.has_value()) {
    ASSIGN_OR_RETURN(const std::string text, thresholds->Text());
    const auto choice = ChooseThresholds(text);
    if (!choice.has_value()) return thresholds->Wrong(choice.error().message);
    scenario.thresholds = choice->canonical;
  }
  return {};
}

}  // namespace

Result<SharingScenario> ParseSharingScenario(std::string_view file, const std::string& text,
                                             const FileReader& read,
                                             std::span<const Setting> settings) {
  ASSIGN_OR_RETURN(const ConfigNode root, ConfigNode::Parse(file, text, settings));
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(root, {"name", "description", "seed", "mechanisms", "thresholds", "rounds",
                             "queue_utilities", "agents_run", "arrivals", "deadline", "queues",
                             "profile", "round", "accelerators", "applications", "agents"}));
  SharingScenario scenario;
  RETURN_IF_ERROR(map.Require("name"));
  RETURN_IF_ERROR(map.ReadText("name", scenario.name));
  RETURN_IF_ERROR(map.ReadText("description", scenario.description));
  std::int64_t seed = 1;
  RETURN_IF_ERROR(map.ReadInteger("seed", seed, 0, INT64_MAX));
  scenario.seed = static_cast<std::uint64_t>(seed);
  RETURN_IF_ERROR(ReadMechanisms(map, scenario));
  SharingDraft draft;
  RETURN_IF_ERROR(ReadDraft(map, file, read, draft));
  ASSIGN_OR_RETURN(const ConfigNode loads, map.Require("queue_utilities"));
  ASSIGN_OR_RETURN(const auto list, loads.List());
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const double load, item.AsRate());
    if (load <= 0) return item.Wrong("expected more than 0%");
    auto world = BuildRoundWorld(draft, load);
    if (!world.has_value()) return FailAt(map.Place(), "{}", world.error().message);
    scenario.queue_utilities.push_back(load);
    scenario.worlds.push_back(std::move(*world));
  }
  if (scenario.worlds.empty()) return loads.Wrong("expected at least one");
  return scenario;
}

}  // namespace fairlead
