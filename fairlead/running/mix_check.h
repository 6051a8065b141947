// Whether the simulator, given the profile of a machine, foretells how networks fare side by side
// on it.
//
// The profile knows layers alone, their traffic and the memory's bandwidth; how networks slow each
// other is left to the simulator. What was measured side by side is only compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/profiling/machine_profile.h"
#include "fairlead/profiling/machine_report.h"

namespace fairlead {

// A mix for `fairlead simulate --profile P --requests R --plan PLAN`: so many passes of each
// network, one after the other on its partition, that all partitions are busy about equally long.
struct MixFiles {
  std::string requests;
  std::string plan;
};
MixFiles FilesOf(const MachineProfile& machine, const NetworkMix& mix);

struct SharedMemory {
  std::int64_t bandwidth = 0;  // bytes per second; 0: no limit
  Sharing sharing = Sharing::kProportional;
};

// For each mix of the machine. Latencies are means of the passes that ended before the first
// partition was through with its own.
Result<std::vector<MixPrediction>> PredictMixes(const MachineProfile& machine,
                                                const SharedMemory& memory);

}  // namespace fairlead
