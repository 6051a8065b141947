#include "fairlead/serving/grpc/client_books.h"

namespace fairlead::grpc_room {

void ClientBooks::Came(const std::string& address) {
  const std::lock_guard lock(mutex_);
  ++clients_[address].connections;
}

// What is not known to have ended by then has.
void ClientBooks::Left(const std::string& address) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(address);
  if (found == clients_.end() || --found->second.connections > 0) return;
  for (Streams& streams : found->second.open) free_.push_back(std::move(streams));
  found->second.open.clear();
}

bool ClientBooks::Opened(const std::string& address, int streams) {
  MemoryBudget::Share share = memory_.Open({.tenant = "@" + address, .address = address});
  const bool fits = share.Hold(streams * kStream);
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  (fits ? clients_[address].open : free_).emplace_back(std::move(share), streams);
  return fits;
}

void ClientBooks::Ended(const std::string& address) {
  MemoryBudget::Share share;
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(address);
  if (found == clients_.end() || found->second.open.empty()) return;
  Streams& first = found->second.open.front();
  if (--first.second > 0) return;
  share = std::move(first.first);
  found->second.open.pop_front();
}

int ClientBooks::InVain(const std::string& address, int count) {
  const std::lock_guard lock(mutex_);
  if (second_.ElapsedSeconds() > 1) {
    second_ = Stopwatch();
    for (auto& [name, client] : clients_) client.in_vain = 0;
    std::erase_if(clients_, [](const auto& entry) {
      return entry.second.connections <= 0 && entry.second.open.empty();
    });
  }
  return clients_[address].in_vain += count;
}

void ClientBooks::Tidy() {
  std::deque<Streams> gone;
  const std::lock_guard lock(mutex_);
  gone.swap(free_);
}

void ClientBooks::Close() {
  std::map<std::string, Client> gone;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    gone.swap(clients_);
  }
  Tidy();
}

}  // namespace fairlead::grpc_room
