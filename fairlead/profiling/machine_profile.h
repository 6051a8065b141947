// What was measured of a machine: networks alone, layer by layer, and together.
//
// Networks and partitions are numbered in the order in which they were given, distinct layers in
// the order in which they were met. All times are of one pass (or one layer), in nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/costs/hand_over_costs.h"
#include "fairlead/networks/operator_layer.h"

namespace fairlead {

struct ProfiledPartition {
  std::string name;  // "p0"
  std::vector<int> cores;
  std::int64_t cache_bytes = 0;  // its share of the last-level cache; 0: unknown
  double read_alone = 0;         // bytes per second from memory, the others idle
  double read_together = 0;      // while all partitions read
  std::size_t alike = 0;         // the first partition that carries networks out as this one does
};

struct ProfiledLayer {
  std::string name;
  std::string implementation;
  double nanoseconds = 0;  // in its network; all layers add up to the whole
  std::int64_t dram_bytes = 0;
  std::vector<double> counts{};    // by event; empty where there are no counters
  std::int64_t touched_bytes = 0;  // as the executor counts them; 0: it does not
  double pressed = 0;  // its time while all other partitions read memory, over that alone; 0: not
                       // measured
};

// A network at a batch size alone on one partition.
struct ProfiledNetwork {
  std::size_t network = 0;
  std::size_t partition = 0;
  std::int64_t batch = 1;
  double nanoseconds = 0;  // as a request meets it: the median, in turn with the others
  double spread = 0;       // of these: the middle half of them, relative to their median
  double burst = 0;       // repeated back to back, as in mixes: a quarter of the visits were faster
  double median = 0;      // of all passes of these visits that nothing disturbed
  double layers_sum = 0;  // of the layers timed one by one, relative to the whole
  std::vector<ProfiledLayer> layers;
};

// A convolution or linear layer of some network and batch, repeated back to back.
struct DistinctLayer {
  OperatorLayer shape;
  std::size_t network = 0;          // where it was met first, and timed
  std::size_t batch = 0;            // which of the batch sizes
  std::size_t position = 0;         // among the operators of the network
  bool drawn = false;               // at random: of no network
  std::vector<double> nanoseconds;  // alone, by partition
};

inline constexpr int kIdle = -1;

struct LayerCoRun {
  std::size_t layer = 0;  // distinct ones
  std::size_t partition = 0;
  std::vector<int> others;  // by partition: the layer that repeats there, or kIdle
  double nanoseconds = 0;
};

struct NetworkMix {
  std::vector<int> networks;        // by partition: which one repeats there, or kIdle
  std::vector<double> nanoseconds;  // by partition: the mean latency; 0 where idle
};

struct MachineProfile {
  std::vector<std::string> networks;
  std::vector<std::int64_t> batches;
  std::vector<ProfiledPartition> partitions;
  std::vector<ProfiledNetwork> alone;  // by network, then batch, then partition
  // By network and layer: what a job of one sample takes along when it moves after the layer.
  std::vector<std::vector<std::int64_t>> alive_bytes;
  HandOverCosts hand_overs;  // by partition; of none: not measured
  std::vector<DistinctLayer> layers;
  std::vector<std::vector<std::size_t>>
      network_layers;  // by network: its distinct layers, first batch
  // One case in twenty stands twice in a row: it was measured twice.
  std::vector<LayerCoRun> coruns;
  std::vector<NetworkMix> mixes;

  std::vector<std::string> events;  // that were counted; else
  std::string no_counters;          // why not
  int rounds = 0;                   // visits of each network
  double disturbed_share = 0;       // of passes of whole networks
  double seconds = 0;               // in all
  double others_share = 0;          // of the cores' time that other programs used
  double stolen_share = 0;          // and other virtual machines

  const ProfiledNetwork& Alone(std::size_t network, std::size_t batch,
                               std::size_t partition) const {
    return alone[(network * batches.size() + batch) * partitions.size() + partition];
  }
  // Of all partitions reading at once, in bytes per second.
  double Bandwidth() const {
    double sum = 0;
    for (const ProfiledPartition& partition : partitions) sum += partition.read_together;
    return sum;
  }
};

// How far two measurements of the same case are apart, relative to the smaller.
struct NoiseFloor {
  std::size_t cases = 0;  // measured twice
  double median = 0;
  double p90 = 0;
};
NoiseFloor NoiseOf(const std::vector<LayerCoRun>& coruns);
NoiseFloor NoiseOf(const std::vector<NetworkMix>& mixes);

}  // namespace fairlead
