// What each address has open and has done in vain, as the door before libgrpc (grpc_door.h) and the
// calls behind it count it. From any thread.
//
// libgrpc keeps some 16 KB for a stream from its header until its end, and is not asked before:
// they are taken from the budget of memory as streams are opened.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "fairlead/base/stopwatch.h"
#include "fairlead/serving/memory_budget.h"

namespace fairlead::grpc_room {

class ClientBooks {
 public:
  // So much may be in vain in a second: calls without a key, calls that were given up, frames that
  // carry nothing. Beyond it each costs its connection.
  static constexpr int kMostInVain = 1000;

  explicit ClientBooks(MemoryBudget& memory) : memory_(memory) {}

  // A connection.
  void Came(const std::string& address);
  void Left(const std::string& address);
  // Streams. False: there is no memory for them.
  bool Opened(const std::string& address, int streams);
  void Ended(const std::string& address);
  // How much it is in this second with these.
  int InVain(const std::string& address, int count);

  // Gives back what has become free. Those that wait for memory are called back by it, so it is not
  // called out of libgrpc's own reading and closing, as Left and Opened are.
  void Tidy();
  // Holds nothing any more, whatever comes.
  void Close();

 private:
  static constexpr std::int64_t kStream = 16 << 10;  // bytes
  using Streams = std::pair<MemoryBudget::Share, int>;
  struct Client {
    int connections = 0;
    int in_vain = 0;
    std::deque<Streams> open{};  // as many together as came together
  };

  MemoryBudget& memory_;
  std::mutex mutex_;  // guards all below; memory is given back without it
  std::map<std::string, Client> clients_;
  std::deque<Streams> free_;  // for Tidy
  Stopwatch second_;
  bool closed_ = false;
};

}  // namespace fairlead::grpc_room
