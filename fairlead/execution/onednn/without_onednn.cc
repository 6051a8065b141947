// The doors of this folder in a build without oneDNN.
#include "fairlead/execution/onednn/cpu_partition.h"

namespace fairlead {

std::string DefaultCacheFolder() { return ""; }  // nothing is tuned

Result<std::unique_ptr<Processor>> MakeCpuPartition(const CpuPartitionSpec& spec) {
  return Fail("partition '{}': this build cannot run networks; build with -DFAIRLEAD_ONEDNN=ON",
              spec.name);
}

}  // namespace fairlead
