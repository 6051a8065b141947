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

}  // namespace fairlead
