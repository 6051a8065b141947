#include "fairlead/running/quote_world.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "fairlead/base/check.h"
#include "fairlead/running/resampled_requests.h"
#include "fairlead/running/seeded_world.h"

namespace fairlead {
namespace {

void DealTargets(World& world, std::uint64_t seed) {
  const SeededWorld seeded(world, seed);
  const std::vector<ServiceAgreement> dealt =
      InListedOrder(seeded.agreements(), seeded.arrangement().agreements);
  for (std::size_t a = 0; a < dealt.size(); ++a)
    world.agreements[a].agreement.target = dealt[a].target;
  for (TenantsConfig& group : world.scenario.tenants) group.zipf.reset();
}

// A change at the very beginning is no change. With a requests file it is how promises are made.
void BeginWithFirstPromises(World& world) {
  std::erase_if(world.changes, [&world](const TimedInput& change) {
    const auto* const promise = std::get_if<AgreementChange>(&change.input);
    if (promise == nullptr || change.at > Instant{}) return false;
    world.agreements[promise->id.index()].agreement = promise->agreement;
    return true;
  });
}

// Lets a recording stand for all traffics like it.
Status Resample(World& world, std::uint64_t seed) {
  ASSIGN_OR_RETURN(world.resampling, ResamplingOf(world, seed));
  if (world.scenario.warm_up >= world.resampling->length)
    return FailAt(world.scenario.requests_place, "the requests end before the warm_up does");
  world.scenario.horizon = world.resampling->length;
  std::vector<double> counts(world.agreements.size());
  for (const Request& request : world.requests) ++counts[request.agreement.index()];
  for (std::size_t a = 0; a < counts.size(); ++a)
    world.agreements[a].arrivals =
        AtRate(PoissonArrivals{}, counts[a] / Seconds(world.resampling->length));
  return {};
}

// The requests per second of a share of 1; 0 where nobody asks by share.
double RateOfShare(const World& world) {
  for (const PlannedAgreement& planned : world.agreements) {
    const TenantsConfig& group = world.scenario.tenants[planned.group];
    if (!group.rate.has_value()) return RateOf(planned) / group.share;
  }
  return 0;
}

// What was settled for agreements that are the same in both worlds.
void CopySettled(const PlannedAgreement& from, PlannedAgreement& to) {
  to.agreement.deadline = from.agreement.deadline;
  to.agreement.target = from.agreement.target;
  to.arrivals = from.arrivals;
}

// A name that was not given must not be somebody's.
std::string FreeName(const Scenario& scenario, const std::string& name) {
  const bool taken =
      std::ranges::find(scenario.tenants, name, &TenantsConfig::name) != scenario.tenants.end();
  return taken && name == TenantsConfig{}.name ? "new" : name;
}

ArrivalOptions Scaled(const ArrivalOptions& arrivals, double factor) {
  ArrivalOptions scaled = AtRate(arrivals, MeanRate(arrivals) * factor);
  if (auto* const periodic = std::get_if<PeriodicArrivals>(&scaled); periodic != nullptr) {
    periodic->jitter = std::min(std::get<PeriodicArrivals>(arrivals).jitter, periodic->period);
  }
  return scaled;
}

// Newcomers beside tenants that were recorded: what they ask for is described, as anywhere else.
Result<ExtendedWorld> BesideRecorded(const World& recorded, std::vector<TenantsConfig> groups,
                                     std::uint64_t seed, const FileReader& read) {
  Scenario scenario = recorded.scenario;
  scenario.requests.clear();
  std::erase_if(scenario.changes,
                [](const ChangeConfig& change) { return !change.tenant.empty(); });
  for (const TenantsConfig& group : groups) {
    if (!group.rate.has_value())
      return FailAt(group.place, "how much do they ask for? give a rate, for example rate: 12/s");
    if (group.joins != Instant{} || group.leaves != kNever)
      return FailAt(group.place,
                    "beside a requests file they stay from beginning to end: leave "
                    "out joins and leaves");
  }
  scenario.tenants = std::move(groups);
  ASSIGN_OR_RETURN(const auto built, BuildWorld(std::move(scenario), read));
  World newcomers = *built;
  DealTargets(newcomers, seed);
  ExtendedWorld extended{.world = recorded, .before = {}, .added = {}};
  for (std::size_t a = 0; a < recorded.agreements.size(); ++a) extended.before.push_back(a);
  for (Tenant& tenant : newcomers.tenants) {
    if (std::ranges::find(recorded.tenants, tenant.name, &Tenant::name) != recorded.tenants.end())
      return FailAt(newcomers.scenario.tenants.front().place,
                    "tenant '{}' is in the requests file already; give the newcomer another name",
                    tenant.name);
    extended.world.tenants.push_back(std::move(tenant));
  }
  for (PlannedAgreement planned : newcomers.agreements) {
    const std::string& network = newcomers.networks[planned.agreement.network.index()].name();
    const auto found = std::ranges::find(recorded.networks, network, &NetworkGraph::name);
    CHECK(found != recorded.networks.end());
    planned.agreement.network =
        NetworkId{static_cast<std::size_t>(found - recorded.networks.begin())};
    planned.agreement.tenant = TenantId{planned.agreement.tenant.index() + recorded.tenants.size()};
    planned.group += 1;  // recorded ones are of group 0
    extended.added.push_back(extended.world.agreements.size());
    extended.world.agreements.push_back(planned);
  }
  return extended;
}

}  // namespace

double RateOf(const PlannedAgreement& agreement) { return MeanRate(agreement.arrivals); }

Result<World> SettledWorld(const Scenario& scenario, std::uint64_t seed, const FileReader& read) {
  Scenario asked = scenario;
  asked.require.clear();  // names what other worlds may not have, and is not what is asked here
  ASSIGN_OR_RETURN(const auto world, BuildWorld(std::move(asked), read));
  World settled = *world;
  BeginWithFirstPromises(settled);
  if (settled.listed()) {
    RETURN_IF_ERROR(Resample(settled, seed));
  } else {
    DealTargets(settled, seed);
  }
  return settled;
}

Status CheckPromises(const World& world) {
  const bool any = std::ranges::any_of(world.agreements, [](const PlannedAgreement& planned) {
    return planned.agreement.target.value_or(0) > 0 || planned.agreement.window > 0;
  });
  if (any) return {};
  if (world.listed())
    return Fail(
        "{}: nobody is promised anything: with a requests file promises are changes, for example "
        "changes: [{{at: 0s, tenant: {}, network: {}, target: 90%}}]",
        world.scenario.file, world.tenants.front().name,
        world.networks[world.agreements.front().agreement.network.index()].name());
  return Fail("{}: nobody is promised anything: give tenants a target, for example target: 90%",
              world.scenario.file);
}

Result<ExtendedWorld> WithAgreements(const World& settled, std::vector<TenantsConfig> groups,
                                     std::uint64_t seed, const FileReader& read) {
  if (settled.listed()) return BesideRecorded(settled, std::move(groups), seed, read);
  Scenario scenario = settled.scenario;
  const std::size_t old_groups = scenario.tenants.size();
  for (TenantsConfig& group : groups) {
    if (!group.rate.has_value()) {
      const double rate = RateOfShare(settled);
      if (rate == 0)
        return FailAt(group.place, "how much do they ask for? give a rate, for example rate: 12/s");
      group.rate = rate * group.share;
    }
    group.name = FreeName(scenario, group.name);
    scenario.tenants.push_back(std::move(group));
  }
  ASSIGN_OR_RETURN(const auto built, BuildWorld(std::move(scenario), read));
  ExtendedWorld extended{.world = *built, .before = {}, .added = {}};
  DealTargets(extended.world, seed);
  for (std::size_t a = 0; a < extended.world.agreements.size(); ++a) {
    PlannedAgreement& planned = extended.world.agreements[a];
    if (planned.group >= old_groups) {
      extended.added.push_back(a);
      continue;
    }
    CopySettled(settled.agreements[extended.before.size()], planned);
    extended.before.push_back(a);
  }
  CHECK(extended.before.size() == settled.agreements.size());
  return extended;
}

World WithRates(const World& world, std::span<const std::size_t> agreements, double factor) {
  World scaled = world;
  for (std::size_t a : agreements) {
    PlannedAgreement& planned = scaled.agreements[a];
    planned.arrivals = Scaled(planned.arrivals, factor);
    if (scaled.resampling.has_value() && a < scaled.resampling->kept.size())
      scaled.resampling->kept[a] *= factor;
    if (!planned.agreement.contract.has_value()) continue;
    std::int64_t& rate = planned.agreement.contract->rate;
    rate = std::clamp<std::int64_t>(std::llround(static_cast<double>(rate) * factor), 1,
                                    Contract::kFastest);
  }
  return scaled;
}

World WithLowerTargets(const World& world, std::span<const std::size_t> agreements, double less) {
  World lowered = world;
  for (std::size_t a : agreements) {
    std::optional<double>& target = lowered.agreements[a].agreement.target;
    if (target.has_value()) target = std::max(0.0, *target - less);
  }
  return lowered;
}

Result<World> OnPlatform(const World& settled, std::span<const int> counts,
                         const FileReader& read) {
  Scenario scenario = settled.scenario;
  std::vector<AcceleratorsConfig>& kinds = scenario.platform.accelerators;
  CHECK(counts.size() == kinds.size());
  for (std::size_t k = 0; k < counts.size(); ++k) kinds[k].count = counts[k];
  std::erase_if(kinds, [](const AcceleratorsConfig& kind) { return kind.count == 0; });
  // Rates do not follow the platform.
  for (const PlannedAgreement& planned : settled.agreements) {
    if (!settled.listed()) scenario.tenants[planned.group].rate = RateOf(planned);
  }
  ASSIGN_OR_RETURN(const auto built, BuildWorld(std::move(scenario), read));
  World world = *built;
  BeginWithFirstPromises(world);
  world.resampling = settled.resampling;
  CHECK(world.agreements.size() == settled.agreements.size());
  for (std::size_t a = 0; a < world.agreements.size(); ++a)
    CopySettled(settled.agreements[a], world.agreements[a]);
  return world;
}

}  // namespace fairlead
