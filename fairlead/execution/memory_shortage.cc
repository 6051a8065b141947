#include "fairlead/execution/memory_shortage.h"

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "fairlead/base/stopwatch.h"

namespace fairlead {
namespace {

constexpr std::chrono::milliseconds kPause{5};
constexpr double kLongPause = 0.1;  // seconds: what follows is another wait
constexpr double kPatience = 60;    // seconds

constexpr std::size_t kMost = std::size_t{64} << 20;

std::atomic<bool> outlive = false;
thread_local bool may_be_refused = false;
// Of this thread's wait: since when, and since it was last in vain.
thread_local Stopwatch waiting;
thread_local Stopwatch paused;

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
  if (paused.ElapsedSeconds() > kLongPause) waiting = Stopwatch();
  if (waiting.ElapsedSeconds() > kPatience) return false;
  std::this_thread::sleep_for(kPause);
  paused = Stopwatch();
  return true;
}

RefusableWork::RefusableWork(bool refusable) : before_(std::exchange(may_be_refused, refusable)) {}
RefusableWork::~RefusableWork() { may_be_refused = before_; }

}  // namespace fairlead
