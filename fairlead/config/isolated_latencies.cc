#include "fairlead/config/isolated_latencies.h"

#include <utility>

#include "fairlead/config/policy_registry.h"

namespace fairlead {

Status MeasureIsolated(World& world) {
  for (std::size_t n = 0; n < world.networks.size(); ++n) {
    const auto interference =
        MakeBandwidthSharing(world.scenario.platform.sharing, world.platform.bandwidth);
    ListedRequests one({Request{.number = 0, .agreement = AgreementId{std::size_t{0}}}});
    SimulationSetup setup;
    setup.world = {.platform = &world.platform,
                   .networks = world.networks,
                   .beliefs = &*world.truth,
                   .tenants = {Tenant{.name = "alone"}},
                   .agreements = {{.tenant = TenantId{std::size_t{0}}, .network = NetworkId{n}}}};
    setup.truth = &*world.truth;
    setup.interference = interference.get();
    setup.requests = &one;
    ASSIGN_OR_RETURN(auto policy, MakePolicy("fcfs-h", {}));
    Simulator simulator(std::move(setup), std::move(policy));
    if (const Status status = simulator.Run(); !status.has_value())
      return FailAt(world.scenario.networks.place, "network '{}' alone: {}",
                    world.networks[n].name(), status.error().message);
    world.isolated.push_back(simulator.totals().end - Instant{});
  }
  return {};
}

}  // namespace fairlead
