#include "fairlead/profiling/layer_counts.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace fairlead {

std::vector<std::vector<double>> CountLayers(NetworkRun& run, std::size_t layers, int passes,
                                             const PerfCounters& counters) {
  static const std::atomic<bool> never = false;
  std::vector<std::vector<double>> counts(layers, std::vector<double>(counters.size()));
  std::vector<double> before(counters.size());
  std::vector<double> after(counters.size());
  run.RunLayers(0, layers, never);
  for (int pass = 0; pass < passes; ++pass) {
    counters.Read(before);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      run.RunLayers(layer, layer + 1, never);
      counters.Read(after);
      for (std::size_t e = 0; e < after.size(); ++e)
        counts[layer][e] += std::max(after[e] - before[e], 0.0) / passes;
      std::swap(before, after);
    }
  }
  return counts;
}

Status CountNetworks(const ResidentNetworks& resident, const CountedPlace& place,
                     const std::vector<int>& cores, MachineSamples& samples) {
  constexpr int kCountedPasses = 5;
  ASSIGN_OR_RETURN(const auto counters, PerfCounters::Open(CacheEvents(), cores));
  for (std::size_t n = 0; n < place.networks; ++n) {
    for (std::size_t b = 0; b < place.batches; ++b) {
      const std::size_t index = (n * place.batches + b) * place.partitions + place.partition;
      samples.alone[index].counts = CountLayers(
          resident.Run(n, b, place.partition), resident.Network(n, b, place.partition).LayerCount(),
          kCountedPasses, *counters);
    }
  }
  return {};
}

}  // namespace fairlead
