// Tells an error of one call from one after which nothing works any more.
#pragma once

#include <exception>

#include "fairlead/execution/cuda/cuda_check.h"
#include "fairlead/execution/cuda/cuda_processors.h"
#include "fairlead/execution/cuda/gpu_partition.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

// What `work` returns. Where the GPU has gone, or a kernel on this partition does not end, an
// exception becomes ProcessorLost; in the second case the work is not even tried.
template <typename Work>
auto OrLost(const GpuPartition& partition, const Work& work) {
  if (partition.stuck()) throw ProcessorLost(kStuckMessage);
  try {
    return work();
  } catch (const ProcessorLost&) {
    throw;
  } catch (const std::exception& error) {
    if (!CudaDeviceLost(partition.device())) throw;
    throw ProcessorLost(FirstLine(error.what()));
  }
}

}  // namespace fairlead
