// How much each address has done in vain within a second: calls without a key, calls that it gave
// up, frames that carry nothing. From any thread.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace fairlead::grpc_room {

class VainCount {
 public:
  // So much may be in vain. Beyond it each costs its connection.
  static constexpr int kMost = 1000;

  // How much it is with these.
  int Add(const std::string& address, int count) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - begun_ > std::chrono::seconds{1}) {
      counts_.clear();
      begun_ = now;
    }
    return counts_[address] += count;
  }

 private:
  std::mutex mutex_;  // guards all below
  std::chrono::steady_clock::time_point begun_{};
  std::map<std::string, int> counts_;
};

}  // namespace fairlead::grpc_room
