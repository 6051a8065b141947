#include "fairlead/execution/cuda/weight_store.h"

#include <c10/cuda/CUDAStream.h>

namespace fairlead {

std::shared_ptr<const DeviceWeights> WeightStore::Get(const WeightsPointer& weights,
                                                      const at::TensorOptions& numbers,
                                                      at::MemoryFormat images) {
  const std::lock_guard lock(mutex_);
  auto& known = known_[{weights.get(), c10::typeMetaToScalarType(numbers.dtype())}];
  if (auto held = known.lock()) return held;
  at::Tensor host = at::empty(weights->dims, at::kFloat);
  std::copy(weights->values.begin(), weights->values.end(), host.data_ptr<float>());
  const at::MemoryFormat format = weights->dims.size() == 4 ? images : at::MemoryFormat::Contiguous;
  auto made = std::make_shared<const DeviceWeights>(
      DeviceWeights{weights, host.to(numbers).contiguous(format)});
  // Others read it on streams of their own.
  c10::cuda::getCurrentCUDAStream().synchronize();
  known = made;
  return made;
}

}  // namespace fairlead
