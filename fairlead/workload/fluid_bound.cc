#include "fairlead/workload/fluid_bound.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/workload/fluid_loads.h"
#include "fairlead/workload/fluid_program.h"
#include "fairlead/workload/fluid_shape.h"
#include "fairlead/workload/linear_program.h"
#include "fairlead/workload/worst_share.h"

namespace fairlead {

Result<LargestLoad> FindLargestLoad(const FluidSystem& system, std::span<const RequestRate> mix) {
  FluidLoads loads(system);
  LargestLoad result;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    CHECK(mix[i].per_second >= 0);
    if (!loads.Add(mix[i].network, mix[i].deadline, mix[i].per_second))
      result.excluded.push_back(i);
  }
  if (result.excluded.size() == mix.size())
    return Fail("load: no request can meet its deadline, even alone on the idle platform");
  loads.Divide();

  // No placement takes less than this share of all accelerators, so 1 over it bounds the load and
  // is a good unit for it.
  double least_share = 0;
  for (std::size_t network = 0; network < loads.size(); ++network) {
    if (loads.Of(network) == nullptr) continue;
    for (const DeadlineBucket& bucket : loads.Of(network)->buckets)
      least_share += bucket.weight * InSeconds(loads.Of(network)->shape.least_work) /
                     static_cast<double>(system.platform.accelerators.size());
  }
  const double unit = least_share > 0 ? 1 / least_share : 1;
  FluidProgram program(system, 1 / unit);
  const int multiple = program.linear().AddVariable(least_share > 0 ? 1 : LinearProgram::kInfinity);
  program.linear().SetObjective(multiple, 1);
  for (std::size_t network = 0; network < loads.size(); ++network) {
    if (loads.Of(network) == nullptr) continue;
    for (const DeadlineBucket& bucket : loads.Of(network)->buckets)
      program.Serve(*loads.Of(network), bucket, multiple);
  }
  ASSIGN_OR_RETURN(const double units, program.linear().Maximise());
  result.multiple = units * unit;
  return result;
}

Result<FluidBounds> FindFluidBounds(const FluidSystem& system,
                                    std::span<const ArrivalCount> arrivals, Duration useful_time) {
  FluidLoads loads(system);
  std::vector<bool> in_time;
  for (const ArrivalCount& arrival : arrivals) {
    CHECK(arrival.count >= 0);
    in_time.push_back(
        loads.Add(arrival.network, arrival.deadline, static_cast<double>(arrival.count)));
  }
  loads.Divide();
  const Demands demands(loads, arrivals, in_time);
  if (demands.all == 0) return FluidBounds{};

  FluidProgram program(system, Seconds(std::max(useful_time, Duration{1})));
  LinearProgram& linear = program.linear();
  const int worst = linear.AddVariable(1);
  std::vector<std::vector<int>> amounts(loads.size());
  for (std::size_t network = 0; network < loads.size(); ++network) {
    if (loads.Of(network) == nullptr) continue;
    for (const DeadlineBucket& bucket : loads.Of(network)->buckets) {
      const int amount = linear.AddVariable(1);
      linear.SetObjective(amount, bucket.weight / demands.all);
      program.Serve(*loads.Of(network), bucket, amount);
      amounts[network].push_back(amount);
    }
  }
  ASSIGN_OR_RETURN(const double hit_rate, linear.Maximise());
  const double possible = demands.possible / demands.all;
  if (hit_rate >= possible - kFluidTolerance)
    return FluidBounds{.hit_rate = possible, .worst_agreement = demands.worst_share};

  for (const auto& list : amounts) {
    for (int amount : list) linear.SetObjective(amount, 0);
  }
  WorstShare share(demands, loads, std::move(amounts), linear, worst);
  const double limit = std::min(demands.worst_share, hit_rate);
  ASSIGN_OR_RETURN(const double worst_share, share.Raise(limit));
  return FluidBounds{.hit_rate = std::max(hit_rate, 0.0),
                     .worst_agreement = std::clamp(worst_share, 0.0, 1.0)};
}

}  // namespace fairlead
