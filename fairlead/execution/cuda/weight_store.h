// Weights on the GPU, once for all partitions: they are read only, and a partition that reads what
// another one has just read finds it in the cache that they share.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

struct DeviceWeights {
  WeightsPointer source;  // keeps its address from being used again
  at::Tensor tensor;
};

class WeightStore {
 public:
  // Of this type; four-dimensional ones in this format. They are freed with the last who holds
  // them. Thread-safe. To be called with a stream of the device as the current one.
  std::shared_ptr<const DeviceWeights> Get(const WeightsPointer& weights,
                                           const at::TensorOptions& numbers,
                                           at::MemoryFormat images);

 private:
  std::mutex mutex_;
  std::map<std::pair<const Weights*, at::ScalarType>, std::weak_ptr<const DeviceWeights>> known_;
};

}  // namespace fairlead
