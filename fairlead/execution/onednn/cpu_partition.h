// Some cores of this machine as a processor: threads pinned to them, networks on oneDNN.
//
// Recipes for the layers are found by running them when a network is loaded for the first time on a
// kind of machine; this takes seconds, and is remembered on disk. Load on a quiet partition.
//
// Partitions of one machine should not share cores. A thread that has entered stays bound to the
// partition's cores; so do the threads that OpenMP makes for it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/onednn/instruction_cap.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

// Where tunings are kept unless said otherwise: see tuner.h.
std::string DefaultCacheFolder();

struct CpuPartitionSpec {
  std::string name;
  std::vector<int> cores;  // as the system numbers them; at least one, none twice
  InstructionCap cap = InstructionCap::kNone;
  std::string cache_folder = DefaultCacheFolder();  // empty: nothing is remembered
};

// Fails where the machine has no such core, or this process may not use it.
Result<std::unique_ptr<Processor>> MakeCpuPartition(const CpuPartitionSpec& spec);

}  // namespace fairlead
