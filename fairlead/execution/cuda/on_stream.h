// What this thread tells libtorch to do goes to a stream.
#pragma once

#include <ATen/core/grad_mode.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

namespace fairlead {

class OnStream {
 public:
  OnStream(int device, cudaStream_t stream)
      : guard_(c10::cuda::getStreamFromExternal(stream, static_cast<c10::DeviceIndex>(device))) {}

 private:
  at::NoGradGuard no_gradients_;
  c10::cuda::CUDAStreamGuard guard_;
};

}  // namespace fairlead
