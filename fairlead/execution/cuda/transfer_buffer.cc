#include "fairlead/execution/cuda/transfer_buffer.h"

#include <c10/cuda/CUDAException.h>

#include <algorithm>

namespace fairlead {

TransferBuffer::TransferBuffer(int device, cudaStream_t stream, std::size_t elements)
    : stream_(stream) {
  device_ = at::empty(
      {static_cast<std::int64_t>(elements)},
      at::TensorOptions(at::kFloat).device(at::kCUDA, static_cast<c10::DeviceIndex>(device)));
  void* memory = nullptr;
  C10_CUDA_CHECK(cudaMallocHost(&memory, std::max<std::size_t>(elements, 1) * sizeof(float)));
  host_ = {static_cast<float*>(memory), elements};
  std::fill(host_.begin(), host_.end(), 0.0F);
}

TransferBuffer::~TransferBuffer() { cudaFreeHost(host_.data()); }

at::Tensor TransferBuffer::Device(std::size_t offset, at::IntArrayRef sizes) const {
  std::int64_t elements = 1;
  for (std::int64_t size : sizes) elements *= size;
  return device_.narrow(0, static_cast<std::int64_t>(offset), elements).view(sizes);
}

void TransferBuffer::ToDevice(std::size_t elements) const {
  C10_CUDA_CHECK(cudaMemcpyAsync(device_.data_ptr(), host_.data(), elements * sizeof(float),
                                 cudaMemcpyHostToDevice, stream_));
}

void TransferBuffer::ToHost(std::size_t elements) const {
  C10_CUDA_CHECK(cudaMemcpyAsync(host_.data(), device_.data_ptr(), elements * sizeof(float),
                                 cudaMemcpyDeviceToHost, stream_));
}

void TransferBuffer::ToTensor(const at::Tensor& tensor) const {
  C10_CUDA_CHECK(cudaMemcpyAsync(tensor.data_ptr(), host_.data(), host_.size_bytes(),
                                 cudaMemcpyHostToDevice, stream_));
}

}  // namespace fairlead
