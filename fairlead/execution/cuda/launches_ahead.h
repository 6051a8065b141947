// Launched work whose end is still to be waited for; a ring of events.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "fairlead/base/time.h"
#include "fairlead/execution/cuda/gpu_partition.h"

namespace fairlead {

class LaunchesAhead {
 public:
  explicit LaunchesAhead(GpuPartition& partition);  // not owned
  ~LaunchesAhead();
  LaunchesAhead(const LaunchesAhead&) = delete;
  LaunchesAhead& operator=(const LaunchesAhead&) = delete;

  bool full() const { return count_ == kMost; }
  std::size_t count() const { return count_; }
  Duration duration() const { return duration_; }

  // What was just launched takes so long.
  void Add(Duration duration);
  // Once `stop` is true, waits for `patience` more at most: what has not ended by then never will.
  // The partition is stuck from then on, and ProcessorLost is thrown.
  void AwaitOldest(const std::atomic<bool>& stop, Duration patience);
  void AwaitAll(const std::atomic<bool>& stop, Duration patience);
  void Forget();  // after an error

 private:
  static constexpr std::size_t kMost = 64;
  struct Launch {
    cudaEvent_t end = nullptr;
    Duration duration{};
  };

  void DestroyEvents();

  GpuPartition& partition_;
  std::array<Launch, kMost> ring_;
  std::size_t oldest_ = 0;
  std::size_t count_ = 0;
  Duration duration_{};
};

}  // namespace fairlead
