// A part of a GPU: a set of multiprocessors that is nobody else's, and streams whose work runs on
// them alone. Made as a CUDA green context (CUDA 12.4 or later).
//
// Its streams are all that is used of a green context. The current context of a thread stays the
// device's primary one, which libtorch, cuDNN and cuBLAS keep their handles in; kernels that are
// launched into such a stream, and graphs that were recorded from it (wherever they are launched),
// run on its multiprocessors. Making the green context current instead gives the same times, and
// then a context could be current to one thread only.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/cuda/library_thread.h"

namespace fairlead {

inline constexpr const char* kStuckMessage = "CUDA: a kernel on this part of the GPU does not end";

class GpuPartition {
 public:
  static Result<std::shared_ptr<GpuPartition>> Make(int device, std::span<CUdevResource> parts);
  ~GpuPartition();
  GpuPartition(const GpuPartition&) = delete;
  GpuPartition& operator=(const GpuPartition&) = delete;

  int device() const { return device_; }
  // Where networks are loaded and run, by one thread at a time.
  cudaStream_t stream() const { return stream_; }
  // For copies that do not wait for what runs there, by any thread.
  cudaStream_t copies() const { return copies_; }
  // Where networks are loaded and runs are made.
  LibraryThread& library() const { return *library_; }

  // A kernel on it does not end: nothing that waits for the partition would. For good; what belongs
  // to the partition is not freed. Thread-safe.
  bool stuck() const { return stuck_.load(std::memory_order_relaxed); }
  void SetStuck();
  static bool AnyStuck();  // of this process
  // Waits for what one of its streams was given. Throws c10::Error where CUDA fails, and
  // ProcessorLost if the partition gets stuck meanwhile.
  void Await(cudaStream_t stream) const;

 private:
  explicit GpuPartition(int device) : device_(device) {}

  int device_;
  CUgreenCtx context_ = nullptr;
  CUstream stream_ = nullptr;
  CUstream copies_ = nullptr;
  std::unique_ptr<LibraryThread> library_;
  std::atomic<bool> stuck_ = false;
};

// Disjoint ones with these numbers of multiprocessors.
Result<std::vector<std::shared_ptr<GpuPartition>>> MakeGpuPartitions(
    int device, std::span<const int> multiprocessors);

}  // namespace fairlead
