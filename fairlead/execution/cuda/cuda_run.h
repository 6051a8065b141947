// One batch on its way through a network on a partition.
//
// Each layer is captured as a graph, in order. The memory of a tensor is given to later layers when
// nobody reads it any more, so it is only valid from the layer that computes it to the last one
// that reads it: what is alive at a boundary always is.
#pragma once

#include <ATen/ATen.h>
#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "fairlead/execution/cuda/captured_graph.h"
#include "fairlead/execution/cuda/cuda_plan.h"
#include "fairlead/execution/cuda/transfer_buffer.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

// Launched work whose end is still to be waited for; a ring of events.
class LaunchesAhead {
 public:
  explicit LaunchesAhead(cudaStream_t stream);
  ~LaunchesAhead();
  LaunchesAhead(const LaunchesAhead&) = delete;
  LaunchesAhead& operator=(const LaunchesAhead&) = delete;

  bool full() const { return count_ == kMost; }
  std::size_t count() const { return count_; }
  Duration duration() const { return duration_; }

  // What was just launched takes so long.
  void Add(Duration duration);
  void AwaitOldest();
  void AwaitAll();
  void Forget();  // after an error

 private:
  static constexpr std::size_t kMost = 64;
  struct Launch {
    cudaEvent_t end = nullptr;
    Duration duration{};
  };

  cudaStream_t stream_;
  std::array<Launch, kMost> ring_;
  std::size_t oldest_ = 0;
  std::size_t count_ = 0;
  Duration duration_{};
};

class CudaRun final : public NetworkRun {
 public:
  explicit CudaRun(std::shared_ptr<const CudaPlan> plan);
  ~CudaRun() override;

  std::span<float> Input(std::size_t index) override;
  std::span<const float> Output(std::size_t index) override;
  std::size_t RunLayers(std::size_t first, std::size_t last,
                        const std::atomic<bool>& stop) override;
  void Save(std::size_t layer, std::size_t sample, std::span<float> numbers) const override;
  void Restore(std::size_t layer, std::size_t sample, std::span<const float> numbers) override;

 private:
  struct Step {
    const CapturedGraph* graph = nullptr;
    std::size_t last = 0;
    Duration duration{};
  };

  void MakeBuffers();
  void CaptureLayers();
  void ChainPieces();
  void UploadInputs();
  Step StepAt(std::size_t layer, std::size_t last) const;
  bool HasRoomFor(const Step& step) const;
  // A sample of a tensor, on the device.
  at::Tensor SampleOf(TensorIndex tensor, std::size_t sample) const;
  // The same of an input, on the host; empty if it is none.
  std::span<float> HostSampleOf(TensorIndex tensor, std::size_t sample) const;
  const TransferBuffer& BufferForMoves() const;

  std::shared_ptr<const CudaPlan> plan_;
  std::vector<std::unique_ptr<TransferBuffer>> inputs_;
  std::vector<std::unique_ptr<TransferBuffer>> outputs_;
  mutable std::mutex moving_;                      // several threads may save
  mutable std::unique_ptr<TransferBuffer> moved_;  // made when first needed
  std::unique_ptr<CapturePool> pool_;
  std::vector<at::Tensor> owned_;  // inputs and outputs
  std::vector<at::Tensor> views_;  // per tensor: where it is while it is alive
  std::vector<CapturedGraph> layers_;
  std::vector<CapturedGraph> pieces_;  // like those of the plan
  std::vector<std::size_t> piece_at_;  // per layer: the piece that begins there, if any
  LaunchesAhead ahead_;
};

}  // namespace fairlead
