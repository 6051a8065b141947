// How fast partitions read from memory, alone and all at once.
//
// Reading, because that is what layers mostly do to memory: they stream weights. Each core of a
// partition reads an array of its own, far larger than its caches, again and again.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/profiling/partition_thread.h"

namespace fairlead {

struct BandwidthLane {
  PartitionThread* partition = nullptr;  // not owned
  std::vector<int> cores;                // on each of which a thread reads; at least one
};

struct BandwidthOptions {
  std::size_t bytes_per_core = std::size_t{128} << 20;
  int sweeps = 5;  // of each array that are timed
};

// Bytes per second of each partition while all of them read: in the median of the sweeps.
std::vector<double> MeasureBandwidth(std::span<const BandwidthLane> lanes,
                                     const BandwidthOptions& options, const LiveClock& clock);

}  // namespace fairlead
