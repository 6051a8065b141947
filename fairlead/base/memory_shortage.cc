#include "fairlead/base/memory_shortage.h"

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace fairlead {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{5};
constexpr std::chrono::seconds kPatience{60};

constexpr std::size_t kMost = std::size_t{64} << 20;

std::atomic<bool> outlive = false;
thread_local bool may_be_refused = false;
// Of this thread's wait: when it began, and when it was last in vain.
thread_local Clock::time_point began;
thread_local Clock::time_point last;

void HaveNone() {
  if (!WaitForMemory(0)) throw std::bad_alloc();
}

}  // namespace

void OutliveMemoryShortages() {
  outlive = true;
  std::set_new_handler(&HaveNone);
}

bool WaitForMemory(std::size_t bytes) {
  if (!outlive || may_be_refused || bytes > kMost) return false;
  const Clock::time_point now = Clock::now();
  if (now - last > 20 * kPause) began = now;
  if (now - began > kPatience) return false;
  std::this_thread::sleep_for(kPause);
  last = Clock::now();
  return true;
}

RefusableWork::RefusableWork(bool refusable) : before_(std::exchange(may_be_refused, refusable)) {}
RefusableWork::~RefusableWork() { may_be_refused = before_; }

}  // namespace fairlead
