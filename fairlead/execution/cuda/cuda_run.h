// One batch on its way through a network on a partition.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "fairlead/execution/cuda/cuda_plan.h"
#include "fairlead/execution/cuda/run_memory.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

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
  bool HasRoomFor(const LaunchStep& step) const;
  std::size_t SampleSize(TensorIndex tensor) const;

  std::shared_ptr<const CudaPlan> plan_;
  std::unique_ptr<RunMemory> memory_;
  mutable std::mutex moving_;  // several threads may save
};

}  // namespace fairlead
