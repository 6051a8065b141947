#include "fairlead/world/isolated_latencies.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/units.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

// The costs of each network, in its order.
std::vector<std::vector<CostRow>> RowsByNetwork(const World& world) {
  std::vector<std::vector<CostRow>> rows(world.networks.size());
  world.truth->ForEach([&](const CostRow& row) { rows[row.network.index()].push_back(row); });
  return rows;
}

CostTable TableOfOne(const World& world, NetworkId which, std::span<const NetworkGraph> network,
                     std::span<const CostRow> rows) {
  CostTable table(network, world.platform);
  table.SetHandOvers(world.truth->hand_overs());
  for (std::size_t s = 0; s < network.front().size(); ++s) {
    const SegmentId segment{s};
    table.SetAliveBytes(NetworkId{std::size_t{0}}, segment,
                        world.truth->AliveBytes(which, segment));
  }
  for (const CostRow& row : rows)
    table.Set(NetworkId{std::size_t{0}}, row.segment, row.kind, row.configuration, row.cost);
  for (std::size_t k = 0; k < table.kinds(); ++k)
    table.SetSwitching(KindId{k}, world.truth->Switching(KindId{k}));
  table.Seal(network);
  return table;
}

// Of one job of a network, with nothing beside it.
Result<Duration> LatencyOf(const World& world, std::span<const NetworkGraph> networks,
                           const CostTable& costs, NetworkId network) {
  const auto interference =
      MakeBandwidthSharing(world.scenario.platform.sharing, world.platform.bandwidth);
  ListedRequests one({Request{.number = 0, .agreement = AgreementId{std::size_t{0}}}});
  SimulationSetup setup;
  setup.world = {.platform = &world.platform,
                 .networks = networks,
                 .beliefs = &costs,
                 .tenants = {Tenant{.name = "alone"}},
                 .agreements = {{.tenant = TenantId{std::size_t{0}}, .network = network}}};
  setup.truth = &costs;
  setup.interference = interference.get();
  setup.requests = &one;
  ASSIGN_OR_RETURN(auto policy, MakePolicy("fcfs-h", {}));
  Simulator simulator(std::move(setup), std::move(policy));
  RETURN_IF_ERROR(simulator.Run());
  return simulator.totals().end - Instant{};
}

}  // namespace

Status MeasureIsolated(World& world) {
  // A run carries all networks along. Of many, each gets a world of its own: else the time would
  // grow with the square of their number.
  constexpr std::size_t kMany = 256;
  const bool many = world.networks.size() > kMany;
  std::vector<std::vector<CostRow>> rows;
  if (many) rows = RowsByNetwork(world);
  for (std::size_t n = 0; n < world.networks.size(); ++n) {
    const auto one = std::span(world.networks).subspan(n, 1);
    const auto latency = many ? LatencyOf(world, one, TableOfOne(world, NetworkId{n}, one, rows[n]),
                                          NetworkId{std::size_t{0}})
                              : LatencyOf(world, world.networks, *world.truth, NetworkId{n});
    if (!latency.has_value())
      return FailAt(world.scenario.networks.place, "network '{}' alone: {}",
                    world.networks[n].name(), latency.error().message);
    world.isolated.push_back(*latency);
  }
  return {};
}

Status CheckPeriod(const World& world) {
  constexpr std::int64_t kMostEpochs = 100'000;  // during one request that is alone
  const Duration period = world.scenario.period;
  if (period == Duration::zero() || world.isolated.empty()) return {};
  const auto longest = std::ranges::max_element(world.isolated);
  const std::int64_t least = (longest->count() + kMostEpochs - 1) / kMostEpochs;
  if (period.count() >= least) return {};
  const auto network = static_cast<std::size_t>(longest - world.isolated.begin());
  return FailAt(
      world.scenario.period_place,
      "{} is less than a {}th of what one request of '{}' takes alone, {}; at least {}, or "
      "leave the period out to decide after every event",
      FormatDuration(period), kMostEpochs, world.networks[network].name(), FormatDuration(*longest),
      FormatDuration(Duration{least}));
}

}  // namespace fairlead
