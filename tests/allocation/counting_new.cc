#include "tests/allocation/counting_new.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace {

bool counting = false;
std::uint64_t allocations = 0;

[[gnu::noinline]] void NoteAllocation() { ++allocations; }

void* AllocateOrNull(std::size_t size, std::size_t alignment) noexcept {
  if (counting) NoteAllocation();
  const std::size_t blocks = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment;
  return std::aligned_alloc(alignment, blocks * alignment);
}

void* Allocate(std::size_t size, std::size_t alignment) {
  void* memory = AllocateOrNull(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::size_t kUsual = alignof(std::max_align_t);

}  // namespace

namespace fairlead::testing {

void StartCounting() {
  allocations = 0;
  counting = true;
}

std::optional<std::uint64_t> StopCounting() {
  if (!std::exchange(counting, false)) return std::nullopt;
  return allocations;
}

}  // namespace fairlead::testing

// All forms, so that none of a sanitizer's own is mixed with them.
using std::align_val_t;
using std::nothrow_t;
using std::size_t;
void* operator new(size_t size) { return Allocate(size, kUsual); }
void* operator new[](size_t size) { return Allocate(size, kUsual); }
void* operator new(size_t size, const nothrow_t&) noexcept { return AllocateOrNull(size, kUsual); }
void* operator new[](size_t size, const nothrow_t&) noexcept {
  return AllocateOrNull(size, kUsual);
}
void* operator new(size_t size, align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, align_val_t alignment, const nothrow_t&) noexcept {
  return AllocateOrNull(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, align_val_t alignment, const nothrow_t&) noexcept {
  return AllocateOrNull(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, align_val_t, const nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, align_val_t, const nothrow_t&) noexcept { std::free(memory); }
