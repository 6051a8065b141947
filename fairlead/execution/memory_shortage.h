// What a server does where there is no memory: a piece of work that may be refused is, by
// std::bad_alloc; everything else (the engine, what a library does for itself) waits until there is
// some again.
#pragma once

#include <cstddef>

namespace fairlead {

// From now on, for the whole process.
void OutliveMemoryShortages();

// Called where an allocation has failed. True, after a pause: try again. False: this may be
// refused, is larger than what comes back, or has been in vain for a minute.
bool WaitForMemory(std::size_t bytes);

// While it is there, this thread's work may be refused, or may not. The innermost counts; without
// any it may not.
class RefusableWork {
 public:
  explicit RefusableWork(bool refusable = true);
  ~RefusableWork();
  RefusableWork(const RefusableWork&) = delete;
  RefusableWork& operator=(const RefusableWork&) = delete;

 private:
  const bool before_;
};

}  // namespace fairlead
