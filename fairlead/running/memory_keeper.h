// Gives memory back after a burst.
//
// What is used again and again is kept, so that nothing is allocated while requests are served;
// after a burst that is as much as all of it needed at once, and the allocator keeps the rest. So a
// thread looks now and then: where the process has grown by much since it last gave something back,
// and nothing is under way, it lets go of what nobody uses. Whoever comes then pays for fresh pages
// once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "fairlead/base/time.h"
#include "fairlead/execution/live_clock.h"

namespace fairlead {

// The memory that this process has, in bytes; none where the system does not say.
std::optional<std::uint64_t> ResidentBytes();

struct MemoryKeeperSetup {
  const LiveClock* clock = nullptr;  // not owned
  std::function<std::optional<std::uint64_t>()> resident = &ResidentBytes;
  std::function<bool()> quiet;      // nothing is under way
  std::function<void()> give_back;  // what the world keeps to use it again
  Duration interval = std::chrono::milliseconds{250};
  std::uint64_t much = 32U << 20;  // bytes
};

class MemoryKeeper {
 public:
  explicit MemoryKeeper(MemoryKeeperSetup setup);
  ~MemoryKeeper();
  MemoryKeeper(const MemoryKeeper&) = delete;
  MemoryKeeper& operator=(const MemoryKeeper&) = delete;

 private:
  void Look();

  const MemoryKeeperSetup setup_;
  std::optional<std::uint64_t> before_;  // what it had when something was last given back
  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace fairlead
