// A block of zeroed memory for tensors or weights, on large pages where the system has them: one
// entry of the processor's page table then covers two megabytes.
#pragma once

#include <cstddef>
#include <utility>

namespace fairlead {

class MemoryBlock {
 public:
  // Throws std::bad_alloc where there is not enough.
  explicit MemoryBlock(std::size_t bytes);
  ~MemoryBlock();
  MemoryBlock(MemoryBlock&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryBlock& operator=(MemoryBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* bytes(std::size_t offset) const { return data_ + offset; }
  float* floats(std::size_t offset) const { return reinterpret_cast<float*>(data_ + offset); }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace fairlead
