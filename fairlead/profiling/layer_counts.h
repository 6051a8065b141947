// What the processor counted in each layer of a network, pass by pass, on one partition.
#pragma once

#include <vector>

#include "fairlead/execution/processor.h"
#include "fairlead/profiling/perf_counters.h"

namespace fairlead {

// By layer, then by event: the mean over the passes. From the partition's thread.
std::vector<std::vector<double>> CountLayers(NetworkRun& run, std::size_t layers, int passes,
                                             const PerfCounters& counters);

}  // namespace fairlead
