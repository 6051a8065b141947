// The memory of one batch on its way through a network on a partition, and the graphs that compute
// in it.
//
// Each layer is captured as a graph, in order. The memory of a tensor is given to later layers when
// nobody reads it any more, so it is only valid from the layer that computes it to the last one
// that reads it: what is alive at a boundary always is.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fairlead/execution/cuda/captured_graph.h"
#include "fairlead/execution/cuda/cuda_plan.h"
#include "fairlead/execution/cuda/launches_ahead.h"
#include "fairlead/execution/cuda/transfer_buffer.h"

namespace fairlead {

// Layers that are launched as one.
struct LaunchStep {
  const CapturedGraph* graph = nullptr;
  std::size_t last = 0;  // the layer behind them
  Duration duration{};
};

// Throws c10::Error where CUDA fails.
class RunMemory {
 public:
  explicit RunMemory(std::shared_ptr<const CudaPlan> plan);
  ~RunMemory();  // waits for what was launched
  RunMemory(const RunMemory&) = delete;
  RunMemory& operator=(const RunMemory&) = delete;

  const TransferBuffer& input(std::size_t index) const { return *inputs_[index]; }
  const TransferBuffer& output(std::size_t index) const { return *outputs_[index]; }
  LaunchesAhead& ahead() { return ahead_; }
  std::size_t layers() const { return layers_.size(); }

  // What begins with this layer, and ends before `last`.
  LaunchStep StepAt(std::size_t layer, std::size_t last) const;

  // A tensor on the device, while it is alive; and a sample of it.
  const at::Tensor& ViewOf(TensorIndex tensor) const { return views_[tensor]; }
  at::Tensor SampleOf(TensorIndex tensor, std::size_t sample) const;
  // A sample of an input on the host; empty if the tensor is none.
  std::span<float> HostSampleOf(TensorIndex tensor, std::size_t sample) const;
  // For what is alive at any boundary, of one sample. Made when first needed.
  const TransferBuffer& BufferForMoves();

 private:
  void MakeBuffers();
  void CaptureLayers();
  void ChainPieces();
  void UploadInputs();

  std::shared_ptr<const CudaPlan> plan_;
  std::vector<std::unique_ptr<TransferBuffer>> inputs_;
  std::vector<std::unique_ptr<TransferBuffer>> outputs_;
  std::unique_ptr<TransferBuffer> moved_;
  std::unique_ptr<CapturePool> pool_;
  std::vector<at::Tensor> owned_;  // inputs and outputs
  std::vector<at::Tensor> views_;  // per tensor
  std::vector<CapturedGraph> layers_;
  std::vector<CapturedGraph> pieces_;  // like those of the plan
  std::vector<std::size_t> piece_at_;  // per layer: the piece that begins there, if any
  LaunchesAhead ahead_;
};

}  // namespace fairlead
