// Fixed plans: a plan that passes the check is carried out to its end.

#include "fairlead/base/check.h"
#include "fairlead/costs/profile.h"
#include "fairlead/policies/fixed_plan.h"
#include "fairlead/simulation/simulator.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

// Two accelerators of kind x and one of kind y; a chain, and a diamond whose last layer runs on y
// alone; one request for each.
struct PlannedWorld {
  Platform platform;
  Profile profile;
  std::vector<PlannedRequest> planned;
  std::vector<Request> requests;

  PlannedWorld()
      : profile(*ParseProfile("profile.csv",
                              "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after\n"
                              "chain,0,x,10,5,1,\n"
                              "chain,0,y,20,5,1,\n"
                              "chain,1,x,10,5,1,\n"
                              "diamond,0,x,5,0,0,\n"
                              "diamond,1,x,7,0,0,0\n"
                              "diamond,2,x,9,0,0,0\n"
                              "diamond,2,y,1,0,0,0\n"
                              "diamond,3,y,3,0,0,1 2\n")) {
    platform.AddKind("x", 2);
    platform.AddKind("y", 1);
    for (std::size_t n = 0; n < profile.networks.size(); ++n) {
      planned.push_back({n, NetworkId{n}});
      requests.push_back({.number = n,
                          .agreement = AgreementId{n},
                          .arrival = AtNanoseconds(static_cast<std::int64_t>(n)),
                          .deadline = Duration{100}});
    }
  }
};

void CarryOut(const PlannedWorld& world, const CostTable& costs, const FixedPlan& plan) {
  const auto interference = MakeBandwidthSharing(Sharing::kProportional, 0);
  ListedRequests requests(world.requests);
  SimulationSetup setup;
  setup.world = {.platform = &world.platform,
                 .networks = world.profile.networks,
                 .beliefs = &costs,
                 .tenants = {Tenant{.name = "tenant"}},
                 .agreements = {}};
  for (const PlannedRequest& request : world.planned) {
    setup.world.agreements.push_back(
        {.tenant = TenantId{std::size_t{0}}, .network = request.network});
  }
  setup.truth = &costs;
  setup.interference = interference.get();
  setup.requests = &requests;
  Simulator simulator(std::move(setup), MakeFixedPlanPolicy(plan));
  const Status status = simulator.Run();
  CHECK_MSG(status.has_value(), status.error().message);
  CHECK(simulator.engine().Drained());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const PlannedWorld world;
  static const CostTable costs = MakeCostTable(world.profile, world.platform);
  const auto plan = ParseFixedPlan("fuzz.csv", TextOf(data, size), world.platform);
  if (!plan.has_value()) {
    CHECK(plan.error().message.starts_with("fuzz.csv:"));
    return 0;
  }
  const Status status =
      CheckFixedPlan(*plan, world.planned, world.profile.networks, world.platform, costs);
  if (!status.has_value()) {
    CHECK(status.error().message.starts_with("fuzz.csv:"));
    return 0;
  }
  CarryOut(world, costs, *plan);
  return 0;
}

}  // namespace fairlead
