#include "fairlead/execution/cuda/cuda_processors.h"

#include <ATen/Context.h>
#include <cuda_runtime_api.h>

#include <string>
#include <utility>

#include "fairlead/execution/cuda/cuda_check.h"
#include "fairlead/execution/cuda/cuda_plan.h"
#include "fairlead/execution/cuda/cuda_run.h"
#include "fairlead/execution/cuda/gpu_partition.h"
#include "fairlead/execution/cuda/or_lost.h"
#include "fairlead/execution/cuda/weight_store.h"

namespace fairlead {
namespace {

// After the errors of earlier calls were cleared.
bool Lasts(cudaError_t error) {
  return error != cudaSuccess && error != cudaErrorNotReady && error != cudaErrorMemoryAllocation;
}

class CudaNetwork final : public LoadedNetwork {
 public:
  explicit CudaNetwork(std::shared_ptr<const CudaPlan> plan) : plan_(std::move(plan)) {}

  const OperatorGraph& graph() const override { return *plan_->graph; }
  std::size_t batch() const override { return static_cast<std::size_t>(plan_->batch); }
  std::string Implementation(std::size_t layer) const override {
    return plan_->layers[layer].recipe.name;
  }
  std::unique_ptr<NetworkRun> NewRun() const override {
    return OrLost(*plan_->partition, [&] {
      std::unique_ptr<NetworkRun> run;
      plan_->partition->library().Do([&] { run = std::make_unique<CudaRun>(plan_); });
      return run;
    });
  }

 private:
  std::shared_ptr<const CudaPlan> plan_;
};

class CudaProcessor final : public Processor {
 public:
  CudaProcessor(std::string name, std::shared_ptr<GpuPartition> partition,
                std::shared_ptr<WeightStore> store, const CudaOptions& options)
      : name_(std::move(name)),
        partition_(std::move(partition)),
        store_(std::move(store)),
        options_(options) {
    if (options.search_algorithms) searching_ = std::make_shared<LibraryThread>();
  }

  const std::string& name() const override { return name_; }
  Status Enter() override {
    return CudaStatus(cudaSetDevice(options_.device), fmt::format("device {}", options_.device));
  }
  Result<std::unique_ptr<LoadedNetwork>> Load(const OperatorGraph& graph,
                                              std::size_t batch) override {
    if (partition_->stuck()) return Fail("{}: {}", graph.name, kStuckMessage);
    Result<std::shared_ptr<const CudaPlan>> plan;
    partition_->library().Do([&] {
      plan = MakeCudaPlan({.graph = graph,
                           .batch = batch,
                           .partition = partition_,
                           .store = *store_,
                           .searching = searching_,
                           .options = options_});
    });
    if (!plan.has_value()) return tl::unexpected(plan.error());
    return std::make_unique<CudaNetwork>(std::move(*plan));
  }

 private:
  std::string name_;
  std::shared_ptr<GpuPartition> partition_;
  std::shared_ptr<WeightStore> store_;
  std::shared_ptr<LibraryThread> searching_;  // null: algorithms are not searched for
  CudaOptions options_;
};

}  // namespace

Result<std::vector<std::unique_ptr<Processor>>> MakeCudaProcessors(
    std::span<const int> multiprocessors, const CudaOptions& options) {
  ASSIGN_OR_RETURN(auto partitions, MakeGpuPartitions(options.device, multiprocessors));
  // Unless told otherwise, cuDNN rounds the factors of FP32 convolutions to 10 bits.
  at::globalContext().setAllowTF32CuDNN(false);
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setBenchmarkLimitCuDNN(0);  // searches try all
  const auto store = std::make_shared<WeightStore>();
  std::vector<std::unique_ptr<Processor>> processors;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    processors.push_back(std::make_unique<CudaProcessor>(
        fmt::format("sm{}-{}", multiprocessors[i], i), std::move(partitions[i]), store, options));
  }
  return processors;
}

bool CudaDeviceLost(int device) {
  if (const cudaError_t error = cudaSetDevice(device); Lasts(error)) return true;
  static_cast<void>(cudaGetLastError());  // an error of one call; a lasting one stays
  // Without waiting for anything, and of a stream that need not be made.
  const cudaError_t error = cudaStreamQuery(cudaStreamLegacy);
  static_cast<void>(cudaGetLastError());
  return Lasts(error);
}

}  // namespace fairlead
