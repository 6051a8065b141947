#include "fairlead/world/world.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/units.h"
#include "fairlead/costs/auto_segments.h"
#include "fairlead/costs/segmentation.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scheduling/input_check.h"
#include "fairlead/workload/fluid_bound.h"
#include "fairlead/workload/requests_file.h"
#include "fairlead/world/arrangement.h"
#include "fairlead/world/isolated_latencies.h"
#include "fairlead/world/objective_text.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world_costs.h"
#include "fairlead/world/world_slowdowns.h"

namespace fairlead {

namespace {

// How often the agreements of a world ask: rates as given, or shares of what the fluid bound can
// carry times the load.

// Each takes some hundred bytes until the figures are made: 10 GB. Longer runs are surely a mistake
// in a rate or a horizon.
constexpr double kMostRequests = 1e8;

// The mix of requests in the proportions given by `rate_of`, merged by network and deadline.
template <typename RateOf>
std::vector<RequestRate> Mix(const World& world, RateOf&& rate_of) {
  const DeadlineLevels& levels = world.scenario.levels;
  double weights = 0;
  for (double weight : levels.weights) weights += weight;
  struct Key {
    NetworkId network;
    Duration deadline;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, double> merged;
  for (const PlannedAgreement& planned : world.agreements) {
    const double rate = rate_of(planned);
    if (rate == 0) continue;
    if (!planned.levelled) {
      merged[{planned.agreement.network, planned.agreement.deadline}] += rate;
      continue;
    }
    for (std::size_t i = 0; i < levels.factors.size(); ++i) {
      const double deadline =
          static_cast<double>(planned.agreement.deadline.count()) * levels.factors[i];
      merged[{planned.agreement.network,
              Duration{static_cast<std::int64_t>(std::min(deadline, 4e18))}}] +=
          rate * levels.weights[i] / weights;
    }
  }
  std::vector<RequestRate> mix;
  for (const auto& [key, rate] : merged) mix.push_back({key.network, key.deadline, rate});
  return mix;
}

Status SetRate(const TenantsConfig& config, double rate, PlannedAgreement& planned) {
  const auto* const periodic = std::get_if<PeriodicArrivals>(&planned.arrivals);
  const Duration jitter = periodic == nullptr ? Duration::zero() : periodic->jitter;
  planned.arrivals = AtRate(planned.arrivals, rate);
  if (periodic != nullptr) std::get<PeriodicArrivals>(planned.arrivals).jitter = jitter;
  const Status status = CheckArrivals(planned.arrivals);
  if (status.has_value()) return {};
  return FailAt(config.place, "at {} requests per second: {}", rate, status.error().message);
}

// Sets the arrivals of all agreements, which are planned, and what is known of the load. Fails with
// the place in the scenario: for loads that nothing limits, and for rates that make no sense.
Status SetArrivalRates(World& world) {
  const FluidSystem system{world.platform, world.networks, *world.truth, world.platform.bandwidth};
  const Scenario& scenario = world.scenario;
  const auto config_of = [&](const PlannedAgreement& planned) -> const TenantsConfig& {
    return scenario.tenants[planned.group];
  };
  double scale = 0;
  const auto shares = Mix(world, [&](const PlannedAgreement& planned) {
    const TenantsConfig& config = config_of(planned);
    return config.rate.has_value() ? 0.0 : config.share;
  });
  if (!shares.empty()) {
    const auto largest = FindLargestLoad(system, shares);
    if (!largest.has_value()) return FailAt(scenario.load_place, "{}", largest.error().message);
    scale = largest->multiple * scenario.load.value_or(1.0);
  }
  double total = 0;
  for (PlannedAgreement& planned : world.agreements) {
    const TenantsConfig& config = config_of(planned);
    const double rate = config.rate.value_or(config.share * scale);
    if (!(rate > 1e-9))
      return FailAt(config.place, "these tenants would ask less than once in 30 years");
    RETURN_IF_ERROR(SetRate(config, rate, planned));
    total += rate;
  }
  if (total * Seconds(scenario.horizon) > kMostRequests)
    return FailAt(scenario.horizon_place,
                  "about {:.0f} requests until the horizon; at most {:.0f}: lower it, the load "
                  "or the rates",
                  total * Seconds(scenario.horizon), kMostRequests);
  const auto offered = FindLargestLoad(system, Mix(world, [](const PlannedAgreement& planned) {
                                         return MeanRate(planned.arrivals);
                                       }));
  if (offered.has_value() && offered->multiple > 0) {
    world.offered_load = 1 / offered->multiple;
    world.capacity_per_s = total * offered->multiple;
  }
  return {};
}

// The requests of a file in a world, and what their tenants are promised.

// The first that fits; null: none does.
const PromiseConfig* PromiseTo(const Scenario& scenario, std::string_view tenant,
                               std::string_view network) {
  const auto fits = [](const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  const auto found = std::ranges::find_if(scenario.promises, [&](const PromiseConfig& promise) {
    return fits(promise.tenants, tenant) && fits(promise.networks, network);
  });
  return found == scenario.promises.end() ? nullptr : &*found;
}

// A name that nobody has is a typing error.
Status CheckNames(const World& world, const std::set<std::string_view>& known) {
  const std::vector<std::string_view> all(known.begin(), known.end());
  for (const PromiseConfig& promise : world.scenario.promises) {
    if (!promise.expected) continue;
    for (const auto* names : {&promise.tenants, &promise.networks}) {
      for (const std::string& name : *names) {
        if (!known.contains(name))
          return FailAt(promise.place, "no request is about '{}'{}", name, Suggest(name, all));
      }
    }
  }
  return {};
}

Status MakePromises(World& world) {
  std::set<std::string_view> known;
  double floors = 0;
  std::int64_t windows = 0;
  for (PlannedAgreement& planned : world.agreements) {
    Tenant& tenant = world.tenants[planned.agreement.tenant.index()];
    const std::string& network = world.networks[planned.agreement.network.index()].name();
    known.insert(tenant.name);
    known.insert(network);
    const PromiseConfig* const promise = PromiseTo(world.scenario, tenant.name, network);
    if (promise == nullptr) continue;
    tenant.weight = promise->weight;
    ServiceAgreement agreement = promise->terms.promise;
    agreement.tenant = planned.agreement.tenant;
    agreement.network = planned.agreement.network;
    agreement.deadline = planned.agreement.deadline;
    planned.agreement = agreement;
    if ((floors += agreement.floor) > kWholeMachine)
      return FailAt(promise->place, "floors sum to {:.6g} % of the machine", 100 * floors);
    if ((windows += agreement.window) > kMostWindows)
      return FailAt(promise->place, "all windows together exceed {}", kMostWindows);
  }
  return CheckNames(world, known);
}

// Fills in the world's requests, tenants and agreements; its networks are there. Reads the requests
// file of its scenario, and the file of promises if there is one.
Status ListRequests(World& world, const FileReader& read) {
  Scenario& scenario = world.scenario;
  const std::string path = Beside(scenario.file, scenario.requests);
  auto text = read(path);
  if (!text.has_value()) {
    if (scenario.requests_place.line == 0) return tl::unexpected(text.error());
    return FailAt(scenario.requests_place, "requests: {}", text.error().message);
  }
  ASSIGN_OR_RETURN(const RequestRows rows, ParseRequests(path, *text));
  if (!scenario.promises_file.empty()) {
    const std::string promises = Beside(scenario.file, scenario.promises_file);
    ASSIGN_OR_RETURN(const std::string listed, read(promises));
    ASSIGN_OR_RETURN(scenario.promises, ParsePromises(promises, listed));
  }
  std::vector<std::string_view> names;
  for (const NetworkGraph& network : world.networks) names.push_back(network.name());
  const auto deadline_of = [&scenario](std::string_view tenant,
                                       std::string_view network) -> std::optional<Duration> {
    const PromiseConfig* const promise = PromiseTo(scenario, tenant, network);
    if (promise == nullptr || !promise->terms.Has("deadline")) return std::nullopt;
    return promise->terms.promise.deadline;
  };
  ASSIGN_OR_RETURN(RequestsFile file, BuildRequests(rows, names, deadline_of));
  world.tenants = std::move(file.tenants);
  for (const ServiceAgreement& agreement : file.agreements)
    world.agreements.push_back({.agreement = agreement});
  world.requests = std::move(file.requests);
  return MakePromises(world);
}

// The policy that takes over from one that a guard stops.
Status CheckFallback(std::optional<GuardOptions>& guard, const Place& place) {
  if (!guard.has_value()) return {};
  const auto policy = ChoosePolicy(guard->fallback);
  if (!policy.has_value()) return FailAt(place, "policy: {}", policy.error().message);
  if (policy->needs.plan)
    return FailAt(place,
                  "policy: {} cannot take over in the middle of a run; name another, for example "
                  "fairlead",
                  policy->canonical);
  guard->fallback = policy->canonical;
  return {};
}

// Entries of one policy stand together.
Status CheckRequired(std::vector<RequireConfig>& require) {
  for (std::size_t i = 0; i < require.size(); ++i) {
    NamedPolicy& named = require[i].policy;
    const auto policy = ChoosePolicy(named.spec);
    if (!policy.has_value()) return FailAt(named.place, "require: {}", policy.error().message);
    named.spec = policy->canonical;
    for (std::size_t before = 0; before < i; ++before) {
      const NamedPolicy& other = require[before].policy;
      if (other.spec == named.spec && ToString(other.place) != ToString(named.place))
        return FailAt(named.place, "require: {} stands twice", named.spec);
    }
  }
  return {};
}

class WorldBuilder {
 public:
  WorldBuilder(Scenario scenario, const FileReader& read, SegmentOrder order) : read_(read) {
    world_->scenario = std::move(scenario);
    world_->segment_order = order;
  }

  Result<std::unique_ptr<const World>> Build() {
    RETURN_IF_ERROR(CheckPolicies(scenario()));
    RETURN_IF_ERROR(BuildCosts());
    RETURN_IF_ERROR(ResolveSlowdowns(*world_, read_));
    RETURN_IF_ERROR(InNameOrder(MeasureIsolated));
    RETURN_IF_ERROR(CheckPeriod(*world_));
    if (world_->listed()) {
      RETURN_IF_ERROR(ListRequests(*world_, read_));
    } else {
      RETURN_IF_ERROR(PlanAgreements());
      RETURN_IF_ERROR(InNameOrder(SetArrivalRates));
    }
    RETURN_IF_ERROR(ResolveCharge());
    RETURN_IF_ERROR(ResolveChanges());
    RETURN_IF_ERROR(ResolveRequirements(*world_));
    return std::unique_ptr<const World>(std::move(world_));
  }

  // The bare world has a plan instead of tenants and changes.
  Result<std::unique_ptr<const World>> BuildBare(const BareWorldOptions& options) {
    ASSIGN_OR_RETURN(const std::string text, read_(options.profile));
    ASSIGN_OR_RETURN(const Profile profile, ParseProfile(options.profile, text));
    for (const std::string& kind : profile.kinds) {
      scenario().platform.accelerators.push_back(
          {.kind = kind, .place = Place{options.profile, 0, 0}});
    }
    RETURN_IF_ERROR(TableSegments(profile, Granularity::Layers()));
    RETURN_IF_ERROR(InNameOrder(MeasureIsolated));
    RETURN_IF_ERROR(ListRequests(*world_, read_));
    if (!options.plan.empty()) RETURN_IF_ERROR(ReadPlan(options.plan));
    return std::unique_ptr<const World>(std::move(world_));
  }

 private:
  Scenario& scenario() { return world_->scenario; }

  // Ties and roundings do not follow the order of the scenario's lists.
  Status InNameOrder(Status (*compute)(World&)) {
    const Arrangement by_name = ByName(*world_);
    World sorted = Arranged(*world_, by_name);
    RETURN_IF_ERROR(compute(sorted));
    *world_ = Arranged(sorted, Inverse(by_name));
    return {};
  }

  Status BuildCosts() {
    ASSIGN_OR_RETURN(ScenarioCosts costs, LoadCosts(scenario(), read_));
    const Profile& profile = costs.profile;
    world_->warnings = std::move(costs.warnings);
    world_->notes = std::move(costs.notes);
    for (const AcceleratorsConfig& accelerators : scenario().platform.accelerators) {
      const std::vector<std::string_view> kinds(profile.kinds.begin(), profile.kinds.end());
      if (std::ranges::find(kinds, accelerators.kind) == kinds.end())
        return FailAt(accelerators.place, "the profile has no accelerator '{}'{}",
                      accelerators.kind, Suggest(accelerators.kind, kinds));
    }
    const SegmentsConfig& segments = scenario().networks.segments;
    switch (segments.unit) {
      case SegmentsConfig::Unit::kLayers: return TableSegments(profile, Granularity::Layers());
      case SegmentsConfig::Unit::kBlocks:
        return TableSegments(
            profile, Granularity::Blocks(static_cast<std::size_t>(segments.layers_per_block)));
      case SegmentsConfig::Unit::kWhole: return TableSegments(profile, Granularity::Whole());
      case SegmentsConfig::Unit::kAuto: return CutAndTable(profile);
    }
    return {};
  }

  Status TableSegments(const Profile& profile, Granularity granularity) {
    for (const NetworkGraph& network : profile.networks)
      world_->bounds.push_back(EqualBounds(network.size(), granularity));
    return TableSegmented(Segmented(profile, granularity));
  }

  Status CutAndTable(const Profile& profile) {
    std::vector<KindId> kinds;
    for (const AcceleratorsConfig& accelerators : scenario().platform.accelerators)
      kinds.emplace_back(static_cast<std::size_t>(
          std::ranges::find(profile.kinds, accelerators.kind) - profile.kinds.begin()));
    const std::vector<AutoCut> cuts =
        CutNetworks(profile, kinds, scenario().networks.segments.automatic);
    for (std::size_t n = 0; n < cuts.size(); ++n) {
      world_->bounds.push_back(cuts[n].bounds);
      world_->notes.push_back(Describe(cuts[n], profile.networks[n]));
    }
    return TableSegmented(Segmented(profile, world_->bounds));
  }

  Status TableSegmented(Result<Profile> segmented) {
    if (!segmented.has_value())
      return FailAt(scenario().networks.place, "{}", segmented.error().message);
    if (world_->segment_order == SegmentOrder::kOneAfterAnother)
      segmented = OneAfterAnother(std::move(*segmented));
    return TableCosts(*segmented);
  }

  Status TableCosts(const Profile& profile) {
    std::map<std::string_view, int> most_units;
    for (const CostRow& row : profile.rows) {
      int& most = most_units[profile.kinds[row.kind.index()]];
      most = std::max(most, row.configuration.units);
    }
    for (AcceleratorsConfig& accelerators : scenario().platform.accelerators) {
      // Where blocks of layers run on no accelerator of this kind, it has no rows.
      if (accelerators.units == 0) accelerators.units = std::max(most_units[accelerators.kind], 1);
      world_->platform.AddKind(accelerators.kind, accelerators.count, accelerators.units);
    }
    RETURN_IF_ERROR(CheckAcceleratorNames());
    const PlatformConfig& platform = scenario().platform;
    world_->platform.bandwidth = platform.sharing == Sharing::kNone ? 0 : platform.bandwidth;
    world_->networks = profile.networks;
    world_->truth = MakeCostTable(profile, world_->platform);
    for (const AcceleratorsConfig& accelerators : scenario().platform.accelerators) {
      world_->truth->SetSwitching(world_->platform.FindKind(accelerators.kind),
                                  {.latency = accelerators.switching});
    }
    const auto runnable = CheckRunnable(profile, world_->platform);
    if (!runnable.has_value())
      return FailAt(scenario().networks.place, "{}", runnable.error().message);
    return {};
  }

  // A kind may be called like an instance of another one.
  Status CheckAcceleratorNames() {
    std::set<std::string_view> names;
    for (const Accelerator& accelerator : world_->platform.accelerators) {
      if (!names.insert(accelerator.name).second)
        return FailAt(scenario().platform.accelerators[accelerator.kind.index()].place,
                      "two accelerators are called '{}'", accelerator.name);
    }
    return {};
  }

  Status ReadPlan(const std::string& path) {
    ASSIGN_OR_RETURN(const std::string text, read_(path));
    ASSIGN_OR_RETURN(world_->plan, ParseFixedPlan(path, text, world_->platform));
    std::vector<PlannedRequest> planned;
    for (const Request& request : world_->requests) {
      planned.push_back(
          {request.number, world_->agreements[request.agreement.index()].agreement.network});
    }
    return CheckFixedPlan(*world_->plan, planned, world_->networks, world_->platform,
                          *world_->truth);
  }

  Result<NetworkId> FindNetwork(const std::string& name, const Place& place) const {
    const auto found = std::ranges::find(world_->networks, name, &NetworkGraph::name);
    if (found != world_->networks.end())
      return NetworkId{static_cast<std::size_t>(found - world_->networks.begin())};
    std::vector<std::string_view> names;
    for (const NetworkGraph& network : world_->networks) names.push_back(network.name());
    return FailAt(place, "unknown network '{}'{}", name, Suggest(name, names));
  }

  // Tenants and agreements are numbered in order of joining: that is how the engine meets them.
  Status PlanAgreements() {
    std::vector<std::size_t> by_joining(scenario().tenants.size());
    for (std::size_t g = 0; g < by_joining.size(); ++g) by_joining[g] = g;
    std::ranges::stable_sort(by_joining, {},
                             [&](std::size_t g) { return scenario().tenants[g].joins; });
    std::map<std::string, const TenantsConfig*> names;
    std::int64_t windows = 0;
    for (std::size_t group : by_joining) {
      const TenantsConfig& config = scenario().tenants[group];
      std::vector<NetworkId> networks;
      for (const std::string& name : config.networks) {
        ASSIGN_OR_RETURN(const NetworkId network, FindNetwork(name, config.networks_place));
        networks.push_back(network);
      }
      std::ranges::sort(networks, {},
                        [&](NetworkId id) { return world_->networks[id.index()].name(); });
      std::size_t dealt = 0;
      const std::size_t each = config.networks_each > 0
                                   ? static_cast<std::size_t>(config.networks_each)
                                   : networks.size();
      windows += std::int64_t{config.terms.promise.window} * config.count *
                 static_cast<std::int64_t>(each);
      if (windows > kMostWindows)
        return FailAt(config.place, "all windows together exceed {}", kMostWindows);
      const int width = static_cast<int>(std::to_string(config.count).size());
      for (int i = 1; i <= config.count; ++i) {
        std::string name =
            config.count == 1 ? config.name : fmt::format("{}-{:0{}}", config.name, i, width);
        if (!names.emplace(name, &config).second)
          return FailAt(config.place, "tenant '{}' stands twice; give the group another name",
                        name);
        const TenantId tenant{world_->tenants.size()};
        world_->tenants.push_back({.name = std::move(name), .weight = config.weight});
        for (std::size_t k = 0; k < each; ++k)
          PlanAgreement(config, group, tenant, networks[dealt++ % networks.size()]);
      }
    }
    return {};
  }

  void PlanAgreement(const TenantsConfig& config, std::size_t group, TenantId tenant,
                     NetworkId network) {
    const double factor = config.qos_factor > 0 ? config.qos_factor : scenario().qos_factor;
    const double latency = static_cast<double>(world_->isolated[network.index()].count());
    ServiceAgreement promise = config.terms.promise;
    promise.tenant = tenant;
    promise.network = network;
    const bool levelled = !config.terms.Has("deadline");
    if (levelled)
      promise.deadline =
          Duration{static_cast<std::int64_t>(std::min(std::round(factor * latency), 4e18))};
    world_->agreements.push_back({.agreement = promise,
                                  .group = group,
                                  .arrivals = config.arrivals.value_or(scenario().arrivals),
                                  .levelled = levelled,
                                  .priority = config.priority,
                                  .joins = config.joins,
                                  .leaves = config.leaves});
  }

  Status ResolveCharge() {
    const ChargeConfig& config = scenario().charge;
    world_->charge = {.fixed = config.fixed,
                      .per_ready = config.per_ready,
                      .bytes_per_ready = config.bytes_per_ready,
                      .energy_pj_per_ready = config.energy_pj_per_ready};
    if (config.accelerator.empty()) return {};
    ASSIGN_OR_RETURN(world_->charge.accelerator, FindAccelerator(config.accelerator, config.place));
    return {};
  }

  Result<AcceleratorId> FindAccelerator(const std::string& name, const Place& place) const {
    const AcceleratorId id = world_->platform.FindAccelerator(name);
    if (id.valid()) return id;
    std::vector<std::string_view> names;
    for (const Accelerator& accelerator : world_->platform.accelerators)
      names.push_back(accelerator.name);
    return FailAt(place, "unknown accelerator '{}'{}", name, Suggest(name, names));
  }

  Status ResolveChanges() {
    std::vector<ChangeConfig> changes = scenario().changes;
    std::ranges::stable_sort(changes, {}, &ChangeConfig::at);
    std::map<std::size_t, ServiceAgreement> changed;
    for (const ChangeConfig& change : changes) {
      if (!change.accelerator.empty()) {
        ASSIGN_OR_RETURN(const AcceleratorId id, FindAccelerator(change.accelerator, change.place));
        world_->changes.push_back(
            {change.at, change.away ? Input{AcceleratorLoss{id}} : Input{AcceleratorReturn{id}}});
      } else if (!change.policy.empty() || change.guard.has_value()) {
        RETURN_IF_ERROR(ResolvePolicyChange(change));
      } else {
        RETURN_IF_ERROR(ResolvePromiseChange(change, changed));
      }
    }
    return {};
  }

  Status ResolvePolicyChange(const ChangeConfig& change) {
    if (change.guard.has_value()) world_->changes.push_back({change.at, GuardRules{*change.guard}});
    if (change.policy.empty()) return {};
    const auto policy = ChoosePolicy(change.policy);
    if (!policy.has_value()) return FailAt(change.place, "{}", policy.error().message);
    if (policy->needs.plan)
      return FailAt(change.place, "{} cannot take over in the middle of a run", policy->canonical);
    world_->changes.push_back({change.at, PolicyChange{policy->canonical}});
    return {};
  }

  double FloorsWith(const std::map<std::size_t, ServiceAgreement>& changed) const {
    double sum = 0;
    for (std::size_t a = 0; a < world_->agreements.size(); ++a) {
      const auto found = changed.find(a);
      sum += found == changed.end() ? world_->agreements[a].agreement.floor : found->second.floor;
    }
    return sum;
  }

  // What was changed before stays changed.
  Status ResolvePromiseChange(const ChangeConfig& change,
                              std::map<std::size_t, ServiceAgreement>& changed) {
    for (std::size_t a = 0; a < world_->agreements.size(); ++a) {
      const PlannedAgreement& planned = world_->agreements[a];
      if (world_->tenants[planned.agreement.tenant.index()].name != change.tenant ||
          world_->networks[planned.agreement.network.index()].name() != change.network)
        continue;
      if (change.at < planned.joins)
        return FailAt(change.place, "tenant '{}' is not there yet", change.tenant);
      ServiceAgreement& agreement = changed.emplace(a, planned.agreement).first->second;
      change.terms.Change(agreement);
      if (!agreement.target.has_value() && scenario().tenants.size() > planned.group &&
          scenario().tenants[planned.group].zipf.has_value())
        return FailAt(change.place, "the targets of '{}' are dealt: give its target too",
                      change.tenant);
      if (agreement.period.has_value() && !agreement.target.has_value())
        return FailAt(change.place, "a period is for a target: give one, for example target: 90%");
      if (agreement.floor > 0 && agreement.IsPromised())
        return FailAt(change.place, "a floor is for best effort: no target, no window");
      if (const double sum = FloorsWith(changed); sum > kWholeMachine)
        return FailAt(change.place, "floors sum to {:.6g} % of the machine", 100 * sum);
      world_->changes.push_back({change.at, AgreementChange{AgreementId{a}, agreement}});
      return {};
    }
    return FailAt(change.place, "no tenant '{}' with an agreement on '{}'", change.tenant,
                  change.network);
  }

  const FileReader& read_;
  std::unique_ptr<World> world_ = std::make_unique<World>();
};

}  // namespace

Status CheckPolicies(Scenario& scenario) {
  std::vector<NamedPolicy> policies;
  for (const NamedPolicy& named : scenario.policies) {
    const auto specs = ParsePolicyList(named.spec);
    if (!specs.has_value()) return FailAt(named.place, "policies: {}", specs.error().message);
    for (const std::string& spec : *specs) {
      if (ChoosePolicy(spec)->needs.plan)
        return FailAt(named.place, "policies: {} takes --plan, not a scenario", spec);
      if (std::ranges::find(policies, spec, &NamedPolicy::spec) != policies.end())
        return FailAt(named.place, "policies: {} stands twice", spec);
      policies.push_back({spec, named.place});
    }
  }
  scenario.policies = std::move(policies);
  RETURN_IF_ERROR(CheckFallback(scenario.guard, scenario.guard_place));
  for (ChangeConfig& change : scenario.changes)
    RETURN_IF_ERROR(CheckFallback(change.guard, change.guard_place));
  return CheckRequired(scenario.require);
}

Result<std::unique_ptr<const World>> BuildWorld(Scenario scenario, const FileReader& read,
                                                SegmentOrder order) {
  return WorldBuilder(std::move(scenario), read, order).Build();
}

Result<std::unique_ptr<const World>> BuildBareWorld(const BareWorldOptions& options,
                                                    const FileReader& read) {
  Scenario scenario;
  scenario.name = options.requests;
  scenario.networks.profile = options.profile;
  scenario.networks.place = {options.profile, 0, 0};
  scenario.requests = options.requests;
  scenario.platform.bandwidth = options.bandwidth;
  scenario.platform.sharing = options.sharing;
  return WorldBuilder(std::move(scenario), read, SegmentOrder::kAsNeeded).BuildBare(options);
}

}  // namespace fairlead
