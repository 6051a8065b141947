// Numbers on their way between a program and a GPU: pinned memory of the host, and as much of the
// device's, in single precision and row-major.
#pragma once

#include <ATen/ATen.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

namespace fairlead {

// Throws c10::Error where CUDA fails. Copies go through the stream and are not waited for. To be
// made and used with that stream as libtorch's current one.
class TransferBuffer {
 public:
  TransferBuffer(int device, cudaStream_t stream, std::size_t elements);
  ~TransferBuffer();
  TransferBuffer(const TransferBuffer&) = delete;
  TransferBuffer& operator=(const TransferBuffer&) = delete;

  std::span<float> host() const { return host_; }
  // The device's numbers from `offset` on, as a tensor of these sizes.
  at::Tensor Device(std::size_t offset, at::IntArrayRef sizes) const;

  // The first so many numbers.
  void ToDevice(std::size_t elements) const;
  void ToHost(std::size_t elements) const;
  // All of them, right into a tensor of the device that has the same order and type.
  void ToTensor(const at::Tensor& tensor) const;

 private:
  cudaStream_t stream_;
  std::span<float> host_;
  at::Tensor device_;
};

}  // namespace fairlead
