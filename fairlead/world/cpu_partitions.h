// This machine's cores cut into partitions, as command lines say it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/onednn/cpu_partition.h"

namespace fairlead {

struct PartitionOptions {
  std::string sizes;         // "4,2,2": the cores of each; empty: two halves
  std::string cores;         // "0-7": cut in this order; empty: all usable ones; the halves then
                             // leave two of four or more to the engine
  std::string instructions;  // "avx512,avx2": the cap of each, or one for all; empty: none
};

// They are called p0, p1, ... `usable` are the cores that this process may use.
Result<std::vector<CpuPartitionSpec>> CutCores(const PartitionOptions& options,
                                               std::span<const int> usable);

}  // namespace fairlead
