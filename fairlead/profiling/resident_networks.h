// Networks loaded on every partition at every batch size, ready to run, with something to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/processor.h"
#include "fairlead/profiling/partition_thread.h"
#include "fairlead/profiling/side_by_side.h"

namespace fairlead {

class ResidentNetworks {
 public:
  // Loads everything, partition by partition; partitions that share runs load once, as they do
  // when they serve. The graphs and the threads outlive the result. Fails where a network cannot be
  // loaded.
  static Result<std::unique_ptr<ResidentNetworks>> Load(
      std::span<const OperatorGraph* const> graphs, std::span<const std::int64_t> batches,
      std::span<PartitionThread* const> partitions);
  ~ResidentNetworks();
  ResidentNetworks(const ResidentNetworks&) = delete;
  ResidentNetworks& operator=(const ResidentNetworks&) = delete;

  // `batch` counts the batch sizes.
  const LoadedNetwork& Network(std::size_t network, std::size_t batch,
                               std::size_t partition) const {
    return *At(network, batch, partition).network;
  }
  NetworkRun& Run(std::size_t network, std::size_t batch, std::size_t partition) const {
    return *At(network, batch, partition).run;
  }
  // A lane that repeats all its layers, or one.
  Lane Whole(std::size_t network, std::size_t batch, std::size_t partition) const;
  Lane Layer(std::size_t network, std::size_t batch, std::size_t partition,
             std::size_t layer) const;

 private:
  struct Resident {
    std::shared_ptr<LoadedNetwork> network;
    std::unique_ptr<NetworkRun> run;  // goes first
  };

  ResidentNetworks() = default;
  const Resident& At(std::size_t network, std::size_t batch, std::size_t partition) const {
    return residents_[partition][network * batches_ + batch];
  }
  Status LoadOn(std::size_t partition, std::span<const OperatorGraph* const> graphs,
                std::span<const std::int64_t> batches);

  std::size_t batches_ = 0;
  std::vector<PartitionThread*> partitions_;
  std::vector<std::vector<Resident>> residents_;  // by partition, network and batch
};

}  // namespace fairlead
