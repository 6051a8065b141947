#include "fairlead/world/arrival_rates.h"

#include <algorithm>
#include <map>
#include <variant>
#include <vector>

#include "fairlead/workload/fluid_bound.h"

namespace fairlead {
namespace {

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

}  // namespace

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

}  // namespace fairlead
