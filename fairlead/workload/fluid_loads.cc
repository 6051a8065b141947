#include "fairlead/workload/fluid_loads.h"

#include <algorithm>
#include <functional>

namespace fairlead {
namespace {

constexpr std::size_t kMostVariables = 20'000;  // of one program, roughly

}  // namespace

void FluidLoad::Divide(std::size_t most) {
  std::ranges::sort(deadlines, std::greater<>(), &WeightedDeadline::deadline);
  const auto limits = [this](Duration deadline) { return FluidTime(deadline) < shape.slowest; };
  double weight = 0;  // of deadlines that limit placements
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < deadlines.size(); ++i) {
    if (!limits(deadlines[i].deadline)) continue;
    weight += deadlines[i].weight;
    if (i == 0 || deadlines[i].deadline != deadlines[i - 1].deadline) ++distinct;
  }
  const double share = distinct < most ? 0 : weight / static_cast<double>(most - 1);
  const auto joins = [&](const DeadlineBucket& bucket, const WeightedDeadline& next) {
    if (bucket.smallest == next.deadline || buckets.size() == most) return true;
    return bucket.limits ? bucket.weight < share : !limits(next.deadline);
  };
  for (const WeightedDeadline& next : deadlines) {
    if (buckets.empty() || !joins(buckets.back(), next))
      buckets.push_back(
          {.deadline = next.deadline, .smallest = next.deadline, .limits = limits(next.deadline)});
    buckets.back().smallest = next.deadline;
    buckets.back().weight += next.weight;
  }
}

bool FluidLoads::Add(NetworkId network, Duration deadline, double weight) {
  std::optional<FluidLoad>& load = loads_[network.index()];
  if (!load.has_value())
    load = FluidLoad{.shape = ShapeOf(system_, network), .deadlines = {}, .buckets = {}};
  if (!load->shape.runnable || load->shape.fastest > FluidTime(deadline)) return false;
  if (weight > 0) load->deadlines.push_back({deadline, weight});
  return true;
}

void FluidLoads::Divide() {
  std::size_t variables = 1;
  for (const auto& load : loads_) variables += load.has_value() ? load->shape.variables : 0;
  const std::size_t most = std::clamp<std::size_t>(kMostVariables / variables, 2, kMostBuckets);
  for (auto& load : loads_) {
    if (load.has_value()) load->Divide(most);
  }
}

}  // namespace fairlead
