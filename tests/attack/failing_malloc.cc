// Loaded before the C library: memory that a test can take away from a running process. The first
// byte of the file that FAILING_MALLOC names says how: 0, there is memory; 1, there is none; 2,
// none in pieces of 16 KB or more; 3, every second time there is none.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

const volatile char* how = nullptr;
std::atomic<unsigned> asked = 0;

[[gnu::constructor]] void Find() {
  const char* const path = std::getenv("FAILING_MALLOC");
  const int file = path == nullptr ? -1 : open(path, O_RDONLY);
  void* const page = file < 0 ? MAP_FAILED : mmap(nullptr, 1, PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) how = static_cast<const char*>(page);
  if (file >= 0) close(file);
}

bool Fails(std::size_t size) {
  const char now = how == nullptr ? '0' : *how;
  if (now == '0' || (now == '2' && size < 16384) || (now == '3' && asked++ % 2 == 0)) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) { return Fails(size) ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return Fails(count * size) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  return Fails(size) ? nullptr : __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return Fails(size) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  void* const got = memalign(alignment, size);
  if (got == nullptr) return ENOMEM;
  *memory = got;
  return 0;
}
}
