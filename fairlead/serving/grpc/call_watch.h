// Watches over the calls and connections of gRPC, with a thread that looks ten times a second:
// calls whose message does not come, streams whose key was revoked, connections beyond their limit,
// and clients that make calls faster than they can mean them.
//
// libgrpc has no limit of connections; they are found as what the system lists of this process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "fairlead/base/time.h"
#include "fairlead/serving/grpc/client_books.h"

namespace fairlead::grpc_room {

// "ipv4:127.0.0.1:5123" as gRPC names who calls: "127.0.0.1".
std::string AddressOf(std::string_view peer);
// Of a socket, address and port; none: it is not one of TCP.
std::optional<std::pair<std::string, int>> OwnAddress(int handle);
std::optional<std::pair<std::string, int>> PeerAddress(int handle);

// What is looked after. Owned by shared pointers.
class Watched {
 public:
  virtual ~Watched() = default;
  // On the thread of the watch, again and again. With how long it has been watched.
  virtual void Look(Duration age) = 0;
};

struct ConnectionLimits {
  int all = 4096;
  int per_address = 1024;
};

class CallWatch {
 public:
  CallWatch(const ConnectionLimits& limits, MemoryBudget& memory);
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

  void Add(Watched* watched, std::weak_ptr<Watched> owner);
  // It is not looked at after this, but for a look that has begun.
  void Remove(Watched* watched);

  // A call of this peer was given up by it, or made without a key.
  void NoteInVain(const std::string& peer);
  // A call of this peer is over.
  void NoteEnd(const std::string& peer) { books_->Ended(AddressOf(peer)); }
  // Somebody was let in over this connection.
  void NoteKnown(const std::string& peer);

  // Of the server that listens there.
  void Listens(int port);
  const std::shared_ptr<ClientBooks>& books() const { return books_; }

 private:
  struct Entry {
    std::weak_ptr<Watched> owner;
    std::uint64_t tick = 0;  // when it was added
  };

  void Keep();
  void LookAtCalls();
  void LookAtConnections();

  const ConnectionLimits limits_;
  const std::shared_ptr<ClientBooks> books_;
  std::mutex mutex_;  // guards all below
  std::condition_variable ending_;
  std::map<Watched*, Entry> watched_;
  std::map<std::string, bool> known_;  // by peer; true: since the last look at connections
  std::uint64_t tick_ = 0;
  int port_ = 0;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace fairlead::grpc_room
