#include "fairlead/report/kind_figures.h"

#include <algorithm>

namespace fairlead {
namespace {

struct Preference {
  KindId kind;         // invalid where none is clearly faster
  Duration latency{};  // where it is least
};

Preference PreferenceOf(std::span<const Duration> latencies, std::span<const int> accelerators) {
  KindId best;
  Duration second = CostTable::kCannotRun;
  for (std::size_t k = 0; k < latencies.size(); ++k) {
    if (accelerators[k] == 0 || latencies[k] == CostTable::kCannotRun) continue;
    if (!best.valid() || latencies[k] < latencies[best.index()]) {
      if (best.valid()) second = latencies[best.index()];
      best = KindId{k};
    } else {
      second = std::min(second, latencies[k]);
    }
  }
  if (!best.valid()) return {};
  const Duration least = latencies[best.index()];
  const bool clear =
      second == CostTable::kCannotRun ||
      static_cast<double>(second.count()) / static_cast<double>(least.count()) >= kClearlyFaster;
  return {.kind = clear ? best : KindId{}, .latency = least};
}

}  // namespace

std::vector<KindShare> BusyByKind(std::span<const BusyShare> busy) {
  std::vector<KindShare> kinds;
  std::vector<double> counts;
  for (const BusyShare& one : busy) {
    auto found = std::ranges::find(kinds, one.kind, &KindShare::kind);
    if (found == kinds.end()) {
      found = kinds.insert(found, {.kind = one.kind});
      counts.push_back(0);
    }
    found->share += one.share;
    ++counts[static_cast<std::size_t>(found - kinds.begin())];
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k].share /= counts[k];
  return kinds;
}

std::optional<WorkPreference> PreferredKinds(const CostTable& costs, const Platform& platform,
                                             std::span<const NetworkGraph> networks,
                                             std::span<const double> requests) {
  const std::vector<int> accelerators = platform.CountByKind();
  WorkPreference preference;
  for (const AcceleratorKind& kind : platform.kinds)
    preference.kinds.push_back({.kind = kind.name});
  double total = 0;
  for (std::size_t n = 0; n < networks.size(); ++n) {
    for (std::size_t s = 0; s < networks[n].size(); ++s) {
      const Preference preferred =
          PreferenceOf(costs.LatenciesAlone(NetworkId{n}, SegmentId{s}), accelerators);
      const double work = requests[n] * static_cast<double>(preferred.latency.count());
      (preferred.kind.valid() ? preference.kinds[preferred.kind.index()].share
                              : preference.undecided) += work;
      total += work;
    }
  }
  if (!(total > 0)) return std::nullopt;
  for (KindShare& kind : preference.kinds) kind.share /= total;
  preference.undecided /= total;
  return preference;
}

}  // namespace fairlead
