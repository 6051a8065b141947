// What the processor counted in each layer of a network, pass by pass, on one partition.
#pragma once

#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/processor.h"
#include "fairlead/profiling/machine_samples.h"
#include "fairlead/profiling/perf_counters.h"
#include "fairlead/profiling/resident_networks.h"

namespace fairlead {

// By layer, then by event: the mean over the passes. From the partition's thread.
std::vector<std::vector<double>> CountLayers(NetworkRun& run, std::size_t layers, int passes,
                                             const PerfCounters& counters);

// Of all networks at all batch sizes on one partition, from its thread. Fails where the processor
// lets nobody count.
struct CountedPlace {
  std::size_t networks = 0;
  std::size_t batches = 0;
  std::size_t partitions = 0;
  std::size_t partition = 0;
};
Status CountNetworks(const ResidentNetworks& resident, const CountedPlace& place,
                     const std::vector<int>& cores, MachineSamples& samples);

}  // namespace fairlead
