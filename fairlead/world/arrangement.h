// The order in which a run meets what a scenario lists.
//
// The order of kinds, networks and tenants in a file is nobody's choice, and must decide nothing.
// Ties go to the lowest id, so whoever stands first is preferred:
//
//   kinds       those first that can do least: that run the fewest segments, and take longest for
//               them. What is as good there as elsewhere leaves the others free for what is not.
//   tenants     in the order of their joining; agreements stand with their tenants.
//
// What is still tied is drawn from the run's seed, by name, so that intervals over seeds contain
// it; while a world is built, names decide. Accelerators of one kind keep their numbers. Requests
// that are listed come in the order of their file: that is an order of arrivals, and so is the
// order of the tenants in it.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/world/world.h"

namespace fairlead {

// For each place, who stands there: ids of the world as it is listed.
struct Arrangement {
  std::vector<KindId> kinds;
  std::vector<AcceleratorId> accelerators;
  std::vector<NetworkId> networks;
  std::vector<TenantId> tenants;
  std::vector<AgreementId> agreements;
};

Arrangement AsListed(const World& world);
Arrangement ByName(const World& world);
// What kinds can do is judged by the beliefs, whose ids are the world's.
Arrangement ByDraw(const World& world, const CostTable& beliefs, std::uint64_t seed);

// What undoes it.
Arrangement Inverse(const Arrangement& arrangement);

// The same world with everything at its place. The scenario stays as it was written.
World Arranged(const World& world, const Arrangement& arrangement);

// Values by place, put back in the order of the list.
template <typename Value, typename IdType>
std::vector<Value> InListedOrder(std::vector<Value> values, const std::vector<IdType>& places) {
  std::vector<Value> listed(values.size());
  for (std::size_t place = 0; place < values.size(); ++place)
    listed[places[place].index()] = std::move(values[place]);
  return listed;
}

}  // namespace fairlead
