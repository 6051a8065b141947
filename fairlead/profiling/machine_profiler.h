// Measures a machine: networks on its partitions, alone, layer by layer, and side by side.
//
// Machines drift (clocks, neighbours), so everything is visited in rounds, in another order each
// time: each network alone, each mix of networks, some co-runs of layers, the memory. A visit is a
// burst of passes after one that does not count; passes in which another program took a core do not
// count either, as long as there are others. Of the visits' means the lower quartile is reported,
// for mixes as for networks alone, so that the two can be compared.
//
// What a request meets is not what a burst does: all networks pass in turn on each partition, with
// pauses, and the median of these passes is the network's latency.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/execution/processor.h"
#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

struct ProfilerOptions {
  std::vector<std::int64_t> batches = {1};  // mixes run at the first
  int rounds = 9;
  std::size_t coruns = 200;  // of drawn layers where there are some, and a tenth more of others
  std::size_t mixes = 12;
  std::uint64_t seed = 1;
  // Of partitions that are alike the first is measured alone for all of them.
  bool first_of_alike = false;
  Duration burst = std::chrono::milliseconds{300};      // of a visit to a network
  Duration layer_burst = std::chrono::milliseconds{1};  // five of them for a layer
  Duration pause = std::chrono::milliseconds{20};       // the longest between passes in turn
  Duration time = Duration::zero();  // no round begins that would end later; 0: no limit
  std::size_t read_bytes =
      0;  // that each core reads to measure the memory; 0: four times its cache
};

struct ProfilerPartition {
  Processor* processor = nullptr;  // not owned
  std::vector<int> cores;
};

struct ProfilerSetup {
  std::vector<const OperatorGraph*> networks;  // fused; not owned; names differ
  std::vector<ProfilerPartition> partitions;
  // Layers drawn at random (networks/random_layers.h), fused: measured one by one, and beside
  // others. Its press, if it has one, runs beside networks. Not owned; may be null.
  const OperatorGraph* drawn = nullptr;
  const LiveClock* clock = nullptr;  // not owned
  ProfilerOptions options;
  std::function<void(double share)> progressed;  // hears how much of it is done; may be empty
};

Result<MachineProfile> ProfileMachine(const ProfilerSetup& setup);

}  // namespace fairlead
