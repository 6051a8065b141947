#include "fairlead/running/quote_world.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "fairlead/base/check.h"
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

}  // namespace

double RateOf(const PlannedAgreement& agreement) { return MeanRate(agreement.arrivals); }

Result<World> SettledWorld(const Scenario& scenario, std::uint64_t seed, const FileReader& read) {
  if (!scenario.requests.empty())
    return FailAt(scenario.requests_place,
                  "a requests file is one traffic, from which no other can be predicted: describe "
                  "it by 'tenants' with rates and arrivals");
  Scenario asked = scenario;
  asked.require.clear();  // names what other worlds may not have, and is not what is asked here
  ASSIGN_OR_RETURN(const auto world, BuildWorld(std::move(asked), read));
  World settled = *world;
  DealTargets(settled, seed);
  return settled;
}

Status CheckPromises(const World& world) {
  const bool any = std::ranges::any_of(world.agreements, [](const PlannedAgreement& planned) {
    return planned.agreement.target.value_or(0) > 0 || planned.agreement.window > 0;
  });
  if (any) return {};
  return Fail("{}: nobody is promised anything: give tenants a target, for example target: 90%",
              world.scenario.file);
}

Result<ExtendedWorld> WithAgreements(const World& settled, std::vector<TenantsConfig> groups,
                                     std::uint64_t seed, const FileReader& read) {
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
  for (const PlannedAgreement& planned : settled.agreements)
    scenario.tenants[planned.group].rate = RateOf(planned);
  ASSIGN_OR_RETURN(const auto built, BuildWorld(std::move(scenario), read));
  World world = *built;
  CHECK(world.agreements.size() == settled.agreements.size());
  for (std::size_t a = 0; a < world.agreements.size(); ++a)
    CopySettled(settled.agreements[a], world.agreements[a]);
  return world;
}

}  // namespace fairlead
