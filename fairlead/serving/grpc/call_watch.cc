#include "fairlead/serving/grpc/call_watch.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace fairlead::grpc_room {
namespace {

constexpr std::chrono::milliseconds kTick{100};
std::optional<std::pair<std::string, int>> Split(const sockaddr_storage& name) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (name.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(name);
    inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    return std::pair<std::string, int>(text.data(), ntohs(four.sin_port));
  }
  if (name.ss_family != AF_INET6) return std::nullopt;
  const auto& six = reinterpret_cast<const sockaddr_in6&>(name);
  inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  std::string address = text.data();
  if (address.starts_with("::ffff:")) address.erase(0, 7);  // IPv4 on a socket of IPv6
  return std::pair(std::move(address), static_cast<int>(ntohs(six.sin6_port)));
}

// Connections of this process to a port of its own.
struct OpenConnection {
  int handle = -1;
  std::string address;
  int port = 0;  // the client's
};
std::vector<OpenConnection> ConnectionsTo(int port) {
  std::vector<OpenConnection> all;
  struct Close {
    void operator()(DIR* open) const { closedir(open); }
  };
  const std::unique_ptr<DIR, Close> folder(opendir("/proc/self/fd"));
  if (folder == nullptr) return all;
  while (const dirent* const entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    int handle = -1;
    if (std::from_chars(name.data(), name.data() + name.size(), handle).ec != std::errc()) continue;
    const auto here = OwnAddress(handle);
    if (!here.has_value() || here->second != port) continue;
    if (auto there = PeerAddress(handle))
      all.push_back({handle, std::move(there->first), there->second});
  }
  return all;
}

int PortOf(std::string_view peer) {
  int port = 0;
  const std::string_view digits = peer.substr(peer.rfind(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return port;
}

}  // namespace

std::string AddressOf(std::string_view peer) {
  peer.remove_prefix(std::min(peer.find(':') + 1, peer.size()));
  std::string address(peer.substr(0, peer.rfind(':')));
  if (address.starts_with("%5B")) address = address.substr(3, address.size() - 6);
  if (address.starts_with('[')) address = address.substr(1, address.size() - 2);
  if (address.starts_with("::ffff:")) address.erase(0, 7);
  return address;
}

std::optional<std::pair<std::string, int>> OwnAddress(int handle) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getsockname(handle, reinterpret_cast<sockaddr*>(&name), &size) != 0) return std::nullopt;
  return Split(name);
}

std::optional<std::pair<std::string, int>> PeerAddress(int handle) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getpeername(handle, reinterpret_cast<sockaddr*>(&name), &size) != 0) return std::nullopt;
  return Split(name);
}

CallWatch::CallWatch(const ConnectionLimits& limits, MemoryBudget& memory)
    : limits_(limits), books_(std::make_shared<ClientBooks>(memory)) {
  thread_ = std::thread([this] { Keep(); });
}

CallWatch::~CallWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ending_.notify_all();
  thread_.join();
  books_->Close();
}

void CallWatch::Add(Watched* watched, std::weak_ptr<Watched> owner) {
  const std::lock_guard lock(mutex_);
  watched_[watched] = {std::move(owner), tick_};
}

void CallWatch::Remove(Watched* watched) {
  const std::lock_guard lock(mutex_);
  watched_.erase(watched);
}

void CallWatch::Listens(int port) {
  const std::lock_guard lock(mutex_);
  port_ = port;
}

void CallWatch::NoteKnown(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  known_[peer] = true;
}

void CallWatch::NoteInVain(const std::string& peer) {
  const std::string address = AddressOf(peer);
  const int beyond = books_->InVain(address, 1) - ClientBooks::kMostInVain;
  // One look at all connections is enough for the calls that it had under way.
  if (beyond <= 0 || beyond % 64 != 1) return;
  int port = 0;
  {
    const std::lock_guard lock(mutex_);
    port = port_;
  }
  const int theirs = PortOf(peer);
  for (const OpenConnection& one : ConnectionsTo(port)) {
    if (one.port == theirs && one.address == address) shutdown(one.handle, SHUT_RDWR);
  }
}

void CallWatch::Keep() {
  std::unique_lock lock(mutex_);
  while (!end_) {
    ending_.wait_for(lock, kTick, [this] { return end_; });
    if (end_) return;
    ++tick_;
    lock.unlock();
    try {
      books_->Tidy();
      LookAtCalls();
      LookAtConnections();
    } catch (const std::bad_alloc&) {  // at the next tick
    }
    lock.lock();
  }
}

void CallWatch::LookAtCalls() {
  std::vector<std::pair<std::shared_ptr<Watched>, Duration>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [watched, entry] : watched_) {
      if (auto owned = entry.owner.lock())
        all.emplace_back(std::move(owned), static_cast<std::int64_t>(tick_ - entry.tick) * kTick);
    }
  }
  for (const auto& [watched, age] : all) watched->Look(age);
}

// Strangers go first where there are too many.
void CallWatch::LookAtConnections() {
  int port = 0;
  std::map<std::string, bool> known;
  {
    const std::lock_guard lock(mutex_);
    port = port_;
    known = known_;
  }
  if (port == 0) return;
  std::vector<OpenConnection> all = ConnectionsTo(port);
  std::set<std::pair<std::string, int>> let_in;
  for (const auto& [peer, recent] : known) let_in.emplace(AddressOf(peer), PortOf(peer));
  const auto stranger = [&](const OpenConnection& one) {
    return !let_in.contains({one.address, one.port});
  };
  std::ranges::stable_partition(all, [&](const OpenConnection& one) { return !stranger(one); });
  std::map<std::string, int> of_address;
  int kept = 0;
  std::set<std::pair<std::string, int>> there;
  for (const OpenConnection& one : all) {
    if (kept >= limits_.all || of_address[one.address] >= limits_.per_address) {
      shutdown(one.handle, SHUT_RDWR);
      continue;
    }
    ++kept;
    ++of_address[one.address];
    there.emplace(one.address, one.port);
  }
  const std::lock_guard lock(mutex_);
  for (auto next = known_.begin(); next != known_.end();) {
    const auto it = next++;
    const bool recent = std::exchange(it->second, false);
    if (!recent && !there.contains({AddressOf(it->first), PortOf(it->first)})) known_.erase(it);
  }
}

}  // namespace fairlead::grpc_room
