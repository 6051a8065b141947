#include "fairlead/execution/cuda/launches_ahead.h"

#include <c10/cuda/CUDAException.h>

#include <optional>

#include "fairlead/base/stopwatch.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

LaunchesAhead::LaunchesAhead(GpuPartition& partition) : partition_(partition) {
  try {
    for (Launch& launch : ring_)
      C10_CUDA_CHECK(cudaEventCreateWithFlags(&launch.end, cudaEventDisableTiming));
  } catch (...) {
    DestroyEvents();
    throw;
  }
}

LaunchesAhead::~LaunchesAhead() { DestroyEvents(); }

void LaunchesAhead::DestroyEvents() {
  for (Launch& launch : ring_) {
    if (launch.end != nullptr) cudaEventDestroy(launch.end);
  }
}

void LaunchesAhead::Add(Duration duration) {
  Launch& launch = ring_[(oldest_ + count_) % kMost];
  C10_CUDA_CHECK(cudaEventRecord(launch.end, partition_.stream()));
  launch.duration = duration;
  duration_ += duration;
  ++count_;
}

// Asks again and again, as cudaEventSynchronize does inside; but that one cannot be stopped.
void LaunchesAhead::AwaitOldest(const std::atomic<bool>& stop, Duration patience) {
  std::optional<Stopwatch> since_stop;
  while (true) {
    const cudaError_t state = cudaEventQuery(ring_[oldest_].end);
    if (state == cudaSuccess) break;
    if (state != cudaErrorNotReady) C10_CUDA_CHECK(state);
    if (!stop.load(std::memory_order_relaxed)) continue;
    if (!since_stop.has_value()) {
      since_stop.emplace();
    } else if (since_stop->ElapsedNanoseconds() > patience.count()) {
      partition_.SetStuck();
      throw ProcessorLost(kStuckMessage);
    }
  }
  static_cast<void>(cudaGetLastError());  // "not ready" counts as one
  duration_ -= ring_[oldest_].duration;
  oldest_ = (oldest_ + 1) % kMost;
  --count_;
}

void LaunchesAhead::AwaitAll(const std::atomic<bool>& stop, Duration patience) {
  while (count_ > 0) AwaitOldest(stop, patience);
}

void LaunchesAhead::Forget() {
  count_ = 0;
  duration_ = {};
}

}  // namespace fairlead
