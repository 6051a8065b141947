// How much each address has done in vain within a second: calls without a key, calls that it gave
// up, frames that carry nothing. From any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "fairlead/base/stopwatch.h"

namespace fairlead::grpc_room {

class VainCount {
 public:
  // So much may be in vain. Beyond it each costs its connection.
  static constexpr int kMost = 1000;

  // How much it is with these.
  int Add(const std::string& address, int count) {
    const std::lock_guard lock(mutex_);
    if (second_.ElapsedSeconds() > 1) {
      counts_.clear();
      second_ = Stopwatch();
    }
    return counts_[address] += count;
  }

 private:
  std::mutex mutex_;  // guards all below
  Stopwatch second_;
  std::map<std::string, int> counts_;
};

}  // namespace fairlead::grpc_room
