// malloc in the place of the C library's. Libraries that a server needs (libgrpc first of all) end
// the process, or write to nowhere, where it returns nothing: it waits there, if the server is to
// outlive that.
#include <dlfcn.h>

#include <atomic>
#include <cstddef>

#include "fairlead/execution/memory_shortage.h"

namespace {

template <typename Function, typename... Arguments>
void* Patiently(std::atomic<Function>& kept, const char* name, std::size_t bytes,
                Arguments... arguments) {
  Function real = kept.load(std::memory_order_relaxed);
  if (real == nullptr) {
    real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    kept.store(real, std::memory_order_relaxed);
  }
  while (true) {
    void* const memory = real(arguments...);
    if (memory != nullptr || bytes == 0 || !fairlead::WaitForMemory(bytes)) return memory;
  }
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void* malloc(std::size_t size) noexcept {
  static constinit std::atomic<void* (*)(std::size_t)> real = nullptr;
  return Patiently(real, "malloc", size, size);
}

[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) noexcept {
  static constinit std::atomic<void* (*)(std::size_t, std::size_t)> real = nullptr;
  return Patiently(real, "calloc", count * size, count, size);
}

[[gnu::visibility("default")]] void* realloc(void* old, std::size_t size) noexcept {
  static constinit std::atomic<void* (*)(void*, std::size_t)> real = nullptr;
  return Patiently(real, "realloc", size, old, size);
}
}
