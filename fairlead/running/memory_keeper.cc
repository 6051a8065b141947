#include "fairlead/running/memory_keeper.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace fairlead {

std::optional<std::uint64_t> ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  if (!(file >> all >> resident)) return std::nullopt;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

MemoryKeeper::MemoryKeeper(MemoryKeeperSetup setup)
    : setup_(std::move(setup)), before_(setup_.resident()), thread_([this] {
        std::unique_lock lock(mutex_);
        while (!end_) {
          const Instant next = setup_.clock->Now() + setup_.interval;
          while (!end_ && setup_.clock->Now() < next) setup_.clock->WaitUntil(ending_, lock, next);
          if (!end_) Look();
        }
      }) {}

MemoryKeeper::~MemoryKeeper() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

void MemoryKeeper::Look() {
  const auto now = setup_.resident();
  if (!now.has_value() || !before_.has_value()) return;
  before_ = std::min(*before_, *now);  // a network was unloaded
  if (*now < *before_ + setup_.much || !setup_.quiet()) return;
  setup_.give_back();
  malloc_trim(0);
  before_ = setup_.resident();
}

}  // namespace fairlead
