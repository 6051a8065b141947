// CUDA graphs: what a stream was given once, to be launched again as one.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace fairlead {

// Throws c10::Error where CUDA fails.
class CapturedGraph {
 public:
  CapturedGraph() = default;
  CapturedGraph(CapturedGraph&& other) noexcept
      : graph_(std::exchange(other.graph_, nullptr)),
        launchable_(std::exchange(other.launchable_, nullptr)) {}
  CapturedGraph& operator=(CapturedGraph&& other) noexcept;
  ~CapturedGraph();

  // What `work` puts into the stream. Nothing is computed; memory that is allocated meanwhile must
  // come from a CapturePool. libtorch must have done the same work before: what is loaded or chosen
  // at its first use cannot be while a stream is captured.
  static CapturedGraph Of(cudaStream_t stream, const std::function<void()>& work);
  // One after the other. A launch takes no longer than that of a graph that was captured as a
  // whole.
  static CapturedGraph Chain(std::span<const CapturedGraph> parts, cudaStream_t stream);

  bool empty() const { return launchable_ == nullptr; }  // no work at all
  void Launch(cudaStream_t stream) const;

 private:
  void Prepare(cudaStream_t stream);

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t launchable_ = nullptr;
};

// Memory for what captured work computes. Graphs that were captured in the order in which they run
// share it: what is freed while capturing is given out again.
class CapturePool {
 public:
  // libtorch takes memory for this stream from the pool until Close.
  CapturePool(int device, cudaStream_t stream);
  ~CapturePool();  // graphs and tensors that use it are gone by then
  CapturePool(const CapturePool&) = delete;
  CapturePool& operator=(const CapturePool&) = delete;

  void Close();

 private:
  c10::DeviceIndex device_;
  c10::MempoolId_t id_;
  bool open_ = true;
};

}  // namespace fairlead
