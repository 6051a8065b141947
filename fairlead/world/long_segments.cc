#include "fairlead/world/long_segments.h"

#include <optional>
#include <vector>

namespace fairlead {

Status CheckLongSegments(const World& world, const CostTable& costs) {
  std::vector<std::optional<ServiceAgreement>> shortest(world.platform.kinds.size());
  for (const PlannedAgreement& planned : world.agreements) {
    const ServiceAgreement& promise = planned.agreement;
    if (!promise.target.has_value() || promise.deadline <= Duration::zero()) continue;
    for (std::size_t k = 0; k < shortest.size(); ++k) {
      const bool runs = costs.Alone(promise.network, SegmentId{0}, KindId{k}) != nullptr;
      if (runs && (!shortest[k].has_value() || promise.deadline < shortest[k]->deadline))
        shortest[k] = promise;
    }
  }
  for (const PlannedAgreement& planned : world.agreements) {
    const ServiceAgreement& other = planned.agreement;
    const NetworkGraph& network = world.networks[other.network.index()];
    for (std::size_t k = 0; !other.target.has_value() && k < shortest.size(); ++k) {
      for (std::size_t s = 0; shortest[k].has_value() && s < network.size(); ++s) {
        const SegmentCost* const cost = costs.Alone(other.network, SegmentId{s}, KindId{k});
        if (cost == nullptr || cost->latency <= shortest[k]->deadline / 2) continue;
        return FailAt(
            world.scenario.networks.place,
            "a segment of '{}', which '{}' uses without a promise, takes {:.0f} ms on '{}', where "
            "'{}' was promised {:.0f} ms; cut networks finer (segments: layers), or run it "
            "elsewhere",
            network.name(), world.tenants[other.tenant.index()].name, 1e3 * Seconds(cost->latency),
            world.platform.kinds[k].name, world.tenants[shortest[k]->tenant.index()].name,
            1e3 * Seconds(shortest[k]->deadline));
      }
    }
  }
  return {};
}

}  // namespace fairlead
