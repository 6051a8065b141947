#include "fairlead/workload/fluid_loads.h"

#include <algorithm>
#include <functional>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostVariables = 20'000;  // of one program, roughly
constexpr std::size_t kMostBuckets = 8;         // of one load

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

FluidLoads::FluidLoads(const FluidSystem& system)
    : system_(system), options_(system), loads_(system.networks.size()) {}

std::size_t FluidLoads::SetOfKinds(const std::vector<bool>& there) {
  const auto found = std::ranges::find(sets_, there);
  if (found != sets_.end()) return static_cast<std::size_t>(found - sets_.begin());
  if (sets_.size() == kMostSets) return 0;
  sets_.push_back(there);
  return sets_.size() - 1;
}

bool FluidLoads::Add(NetworkId network, std::size_t kinds, Duration deadline, double weight) {
  std::vector<std::optional<FluidLoad>>& loads = loads_[network.index()];
  if (loads.size() <= kinds) loads.resize(kinds + 1);
  std::optional<FluidLoad>& load = loads[kinds];
  if (!load.has_value()) {
    load.emplace();
    load->shape = ShapeOf(options_, system_.networks[network.index()], network, sets_[kinds]);
  }
  if (!load->shape.runnable || load->shape.fastest > FluidTime(deadline)) return false;
  if (weight > 0) load->deadlines.push_back({deadline, weight});
  return true;
}

void FluidLoads::Divide() {
  std::size_t variables = 1;
  for (const auto& loads : loads_) {
    for (const auto& load : loads) variables += load.has_value() ? load->shape.variables : 0;
  }
  const std::size_t most = std::clamp<std::size_t>(kMostVariables / variables, 2, kMostBuckets);
  for (std::size_t network = 0; network < loads_.size(); ++network) {
    first_class_.push_back(classes_.size());
    for (auto& load : loads_[network]) {
      if (!load.has_value()) continue;
      load->Divide(most);
      load->classes.resize(load->buckets.size());
      for (const DeadlineBucket& bucket : load->buckets)
        classes_.push_back({network, &load->shape, bucket});
    }
    // The loosest are those with the most time for their longest path.
    const auto tightness = [](const FluidClass& one) {
      return one.shape->fastest / std::max(FluidTime(one.bucket.deadline), FluidTime(1));
    };
    std::stable_sort(
        classes_.begin() + static_cast<std::ptrdiff_t>(first_class_.back()), classes_.end(),
        [&](const FluidClass& a, const FluidClass& b) { return tightness(a) < tightness(b); });
    for (std::size_t c = first_class_.back(); c < classes_.size(); ++c) {
      for (auto& load : loads_[network]) {
        if (!load.has_value() || classes_[c].shape != &load->shape) continue;
        const auto bucket = std::ranges::find(load->buckets, classes_[c].bucket.deadline,
                                              &DeadlineBucket::deadline);
        load->classes[static_cast<std::size_t>(bucket - load->buckets.begin())] = c;
      }
    }
  }
  first_class_.push_back(classes_.size());
}

std::size_t FluidLoads::ClassOf(NetworkId network, std::size_t kinds, Duration deadline) const {
  const FluidLoad& load = *loads_[network.index()][kinds];
  const auto found = std::ranges::find_if(
      load.buckets, [&](const DeadlineBucket& bucket) { return bucket.smallest <= deadline; });
  CHECK(found != load.buckets.end());
  return load.classes[static_cast<std::size_t>(found - load.buckets.begin())];
}

}  // namespace fairlead
