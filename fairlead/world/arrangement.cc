#include "fairlead/world/arrangement.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

// What decides between two of a sort ("kind", "network", "tenant"), before their names.
using Rank = std::function<std::uint64_t(std::string_view sort, std::string_view name)>;

template <typename IdType>
std::vector<IdType> AllIds(std::size_t count) {
  std::vector<IdType> ids;
  for (std::size_t i = 0; i < count; ++i) ids.emplace_back(i);
  return ids;
}

// Ids of `count` things by rank and name.
template <typename IdType, typename NameOf>
std::vector<IdType> Ranked(std::string_view sort, std::size_t count, const Rank& rank,
                           NameOf&& name_of) {
  std::vector<std::pair<std::uint64_t, std::string_view>> keys;
  for (std::size_t i = 0; i < count; ++i) keys.emplace_back(rank(sort, name_of(i)), name_of(i));
  std::vector<IdType> ids = AllIds<IdType>(count);
  std::ranges::stable_sort(ids, {}, [&](IdType id) { return keys[id.index()]; });
  return ids;
}

// For each id, its place.
template <typename IdType>
std::vector<IdType> PlacesOf(const std::vector<IdType>& ids) {
  std::vector<IdType> places(ids.size());
  for (std::size_t place = 0; place < ids.size(); ++place)
    places[ids[place].index()] = IdType{place};
  return places;
}

std::vector<AcceleratorId> KindByKind(const Platform& platform, const std::vector<KindId>& kinds) {
  std::vector<AcceleratorId> ids = AllIds<AcceleratorId>(platform.accelerators.size());
  const std::vector<KindId> places = PlacesOf(kinds);
  std::ranges::stable_sort(ids, {}, [&](AcceleratorId id) {
    return places[platform.accelerators[id.index()].kind.index()];
  });
  return ids;
}

// Tenants by the time of their joining, agreements with their tenants.
void ArrangeTenants(const World& world, const Rank& rank, Arrangement& arrangement) {
  arrangement.tenants =
      Ranked<TenantId>("tenant", world.tenants.size(), rank,
                       [&](std::size_t i) -> std::string_view { return world.tenants[i].name; });
  std::vector<Instant> joins(world.tenants.size());
  for (const PlannedAgreement& planned : world.agreements)
    joins[planned.agreement.tenant.index()] = planned.joins;
  std::ranges::stable_sort(arrangement.tenants, {}, [&](TenantId id) { return joins[id.index()]; });

  const std::vector<TenantId> tenant_places = PlacesOf(arrangement.tenants);
  const std::vector<NetworkId> network_places = PlacesOf(arrangement.networks);
  arrangement.agreements = AllIds<AgreementId>(world.agreements.size());
  std::ranges::stable_sort(arrangement.agreements, {}, [&](AgreementId id) {
    const ServiceAgreement& agreement = world.agreements[id.index()].agreement;
    return std::pair(tenant_places[agreement.tenant.index()],
                     network_places[agreement.network.index()]);
  });
}

// How much a kind can do: the segments that it runs, and the negative sum of their latencies.
std::vector<std::pair<std::int64_t, std::int64_t>> Abilities(
    const CostTable& costs, std::span<const NetworkGraph> networks) {
  std::vector<std::pair<std::int64_t, std::int64_t>> abilities(costs.kinds());
  for (std::size_t n = 0; n < networks.size(); ++n) {
    for (std::size_t s = 0; s < networks[n].size(); ++s) {
      const auto latencies = costs.LatenciesAlone(NetworkId{n}, SegmentId{s});
      for (std::size_t k = 0; k < latencies.size(); ++k) {
        if (latencies[k] == CostTable::kCannotRun) continue;
        ++abilities[k].first;
        abilities[k].second -= latencies[k].count();
      }
    }
  }
  return abilities;
}

Arrangement Arrange(const World& world, const CostTable& costs, const Rank& rank) {
  Arrangement arrangement = AsListed(world);
  const Platform& platform = world.platform;
  arrangement.kinds =
      Ranked<KindId>("kind", platform.kinds.size(), rank,
                     [&](std::size_t i) -> std::string_view { return platform.kinds[i].name; });
  const auto abilities = Abilities(costs, world.networks);
  std::ranges::stable_sort(arrangement.kinds, {},
                           [&](KindId kind) { return abilities[kind.index()]; });
  arrangement.accelerators = KindByKind(platform, arrangement.kinds);
  arrangement.networks = Ranked<NetworkId>(
      "network", world.networks.size(), rank,
      [&](std::size_t i) -> std::string_view { return world.networks[i].name(); });
  if (!world.listed()) ArrangeTenants(world, rank, arrangement);
  return arrangement;
}

template <typename Value, typename IdType>
std::vector<Value> Picked(const std::vector<Value>& values, const std::vector<IdType>& ids) {
  std::vector<Value> picked;
  if (values.empty()) return picked;  // not known yet
  for (const IdType id : ids) picked.push_back(values[id.index()]);
  return picked;
}

// Replaces ids by places.
class Mover {
 public:
  explicit Mover(const Arrangement& arrangement) : place_of_(Inverse(arrangement)) {}

  void Move(KindId& id) const { id = place_of_.kinds[id.index()]; }
  void Move(NetworkId& id) const { id = place_of_.networks[id.index()]; }
  void Move(AgreementId& id) const { id = place_of_.agreements[id.index()]; }
  void Move(AcceleratorId& id) const {
    if (id.valid()) id = place_of_.accelerators[id.index()];
  }
  void Move(ServiceAgreement& agreement) const {
    agreement.tenant = place_of_.tenants[agreement.tenant.index()];
    Move(agreement.network);
  }
  // A world that is built has these changes only; who joins and leaves is made of it for a run.
  void Move(Input& input) const {
    if (auto* const loss = std::get_if<AcceleratorLoss>(&input)) Move(loss->accelerator);
    if (auto* const back = std::get_if<AcceleratorReturn>(&input)) Move(back->accelerator);
    if (auto* const change = std::get_if<AgreementChange>(&input)) {
      Move(change->id);
      Move(change->agreement);
    }
  }

 private:
  Arrangement place_of_;
};

CostTable ArrangedCosts(const CostTable& costs, const World& arranged,
                        const Arrangement& arrangement, const Mover& mover) {
  CostTable table(arranged.networks, arranged.platform);
  costs.ForEach([&](CostRow row) {
    mover.Move(row.network);
    mover.Move(row.kind);
    table.Set(row.network, row.segment, row.kind, row.configuration, row.cost);
  });
  for (std::size_t place = 0; place < arrangement.kinds.size(); ++place)
    table.SetSwitching(KindId{place}, costs.Switching(arrangement.kinds[place]));
  table.SetHandOvers(costs.hand_overs().Renumbered(arrangement.kinds));
  for (std::size_t n = 0; n < arranged.networks.size(); ++n) {
    for (std::size_t s = 0; s < arranged.networks[n].size(); ++s)
      table.SetAliveBytes(NetworkId{n}, SegmentId{s},
                          costs.AliveBytes(arrangement.networks[n], SegmentId{s}));
  }
  table.Seal(arranged.networks);
  return table;
}

}  // namespace

Arrangement AsListed(const World& world) {
  return {.kinds = AllIds<KindId>(world.platform.kinds.size()),
          .accelerators = AllIds<AcceleratorId>(world.platform.accelerators.size()),
          .networks = AllIds<NetworkId>(world.networks.size()),
          .tenants = AllIds<TenantId>(world.tenants.size()),
          .agreements = AllIds<AgreementId>(world.agreements.size())};
}

Arrangement ByName(const World& world) {
  return Arrange(world, *world.truth,
                 [](std::string_view, std::string_view) { return std::uint64_t{0}; });
}

Arrangement ByDraw(const World& world, const CostTable& beliefs, std::uint64_t seed) {
  return Arrange(world, beliefs, [seed](std::string_view sort, std::string_view name) {
    return RandomStream(seed, fmt::format("order/{}={}", sort, name)).Bits();
  });
}

Arrangement Inverse(const Arrangement& arrangement) {
  return {.kinds = PlacesOf(arrangement.kinds),
          .accelerators = PlacesOf(arrangement.accelerators),
          .networks = PlacesOf(arrangement.networks),
          .tenants = PlacesOf(arrangement.tenants),
          .agreements = PlacesOf(arrangement.agreements)};
}

World Arranged(const World& world, const Arrangement& arrangement) {
  const Mover mover(arrangement);
  World arranged = world;
  arranged.platform.kinds = Picked(world.platform.kinds, arrangement.kinds);
  arranged.platform.accelerators = Picked(world.platform.accelerators, arrangement.accelerators);
  for (Accelerator& accelerator : arranged.platform.accelerators) mover.Move(accelerator.kind);
  arranged.networks = Picked(world.networks, arrangement.networks);
  arranged.bounds = Picked(world.bounds, arrangement.networks);
  arranged.isolated = Picked(world.isolated, arrangement.networks);
  arranged.truth = ArrangedCosts(*world.truth, arranged, arrangement, mover);
  arranged.tenants = Picked(world.tenants, arrangement.tenants);
  arranged.agreements = Picked(world.agreements, arrangement.agreements);
  for (PlannedAgreement& planned : arranged.agreements) mover.Move(planned.agreement);
  for (Request& request : arranged.requests) mover.Move(request.agreement);
  if (arranged.plan.has_value()) {
    for (FixedPlanEntry& entry : arranged.plan->entries) mover.Move(entry.accelerator);
  }
  mover.Move(arranged.charge.accelerator);
  for (TimedInput& change : arranged.changes) mover.Move(change.input);
  return arranged;
}

}  // namespace fairlead
