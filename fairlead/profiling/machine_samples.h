// All that was timed of a machine, before it is summed up in a profile.
#pragma once

#include <cstddef>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/processor.h"
#include "fairlead/profiling/machine_profile.h"
#include "fairlead/profiling/perf_counters.h"
#include "fairlead/profiling/resident_networks.h"

namespace fairlead {

// Of a network at a batch size alone on a partition; nanoseconds.
struct AloneSamples {
  std::vector<double> visits;               // bursts of passes: their means
  std::vector<double> passes;               // of these, undisturbed ones
  std::vector<double> turns;                // passes in turn with the other networks
  std::vector<std::vector<double>> layers;  // by layer, in such passes
  std::vector<std::vector<double>> counts;  // by layer and event; empty without counters
  // By layer, pass after pass at once: alone, and while all other partitions read memory.
  std::vector<std::vector<double>> unpressed{};
  std::vector<std::vector<double>> pressed{};
};

struct MachineSamples {
  std::vector<AloneSamples> alone;                       // as in MachineProfile
  std::vector<std::vector<std::vector<double>>> layers;  // by distinct layer and partition
  std::vector<std::vector<std::vector<double>>> mixes;   // by mix and partition: means
  std::vector<std::vector<double>> read_alone;           // by partition: bytes per second
  std::vector<std::vector<double>> read_together;        // likewise
  double passes = 0;                                     // of whole networks
  double disturbed = 0;                                  // of these
};

// Gives partitions what was measured of the first that is alike.
void CopyToAlike(const MachineProfile& profile, MachineSamples& samples);

// Fills in what follows from the samples: all times, bandwidths and traffic. The profile has its
// networks, batches, partitions, layers, co-runs and mixes; the last two may lack times.
void Conclude(const MachineSamples& samples, const ResidentNetworks& networks,
              MachineProfile& profile);

// What the processor counted in each layer of a network, pass by pass, on one partition.

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
