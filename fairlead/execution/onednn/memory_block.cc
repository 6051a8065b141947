#include "fairlead/execution/onednn/memory_block.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace fairlead {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

}  // namespace

MemoryBlock::MemoryBlock(std::size_t bytes) {
  const std::size_t unit = bytes >= kLargePage ? kLargePage : 4096;
  bytes_ = std::max(bytes + unit - 1, unit) / unit * unit;
  void* const block =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  if (unit == kLargePage) madvise(block, bytes_, MADV_HUGEPAGE);  // a wish
  data_ = static_cast<std::byte*>(block);
}

MemoryBlock::~MemoryBlock() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace fairlead
