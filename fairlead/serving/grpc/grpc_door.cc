#include "fairlead/serving/grpc/grpc_door.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "fairlead/serving/grpc/call_watch.h"
#include "fairlead/serving/grpc/frame_count.h"

namespace fairlead::grpc_room {
namespace {

struct Door {
  bool tls = false;
  std::shared_ptr<VainCount> counts;
};
std::mutex doors_mutex;
std::map<int, Door> doors;  // by port

// Of one client.
struct Connection {
  std::shared_ptr<VainCount> counts;
  std::string address;  // as the counts know it
  FrameCount frames{};
  bool begun = false;  // it has opened a stream

  // False: it has gone too far.
  bool Passes(std::string_view bytes) {
    const FramesSeen seen = frames.Take(bytes);
    if (seen.endless) return false;
    const bool first = seen.opened > 0 && !std::exchange(begun, true);
    if (!first && seen.in_vain == 0) return true;
    return counts->Add(address, seen.in_vain) <= VainCount::kMost;
  }
};

// By file descriptor; null: none of libgrpc's server, or one of TLS, whose frames are seen later.
constinit std::array<std::atomic<Connection*>, 1 << 20> connections{};

std::atomic<Connection*>* PlaceOf(int handle) {
  if (handle < 0 || static_cast<std::size_t>(handle) >= connections.size()) return nullptr;
  return &connections[static_cast<std::size_t>(handle)];
}

template <typename Function>
Function Real(std::atomic<Function>& kept, const char* name) {
  Function real = kept.load(std::memory_order_relaxed);
  if (real != nullptr) return real;
  real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
  kept.store(real, std::memory_order_relaxed);
  return real;
}

void Admit(int listener, int handle) {
  std::atomic<Connection*>* const place = PlaceOf(handle);
  const auto here = OwnAddress(listener);
  if (place == nullptr || !here.has_value()) return;
  const std::lock_guard lock(doors_mutex);
  const auto door = doors.find(here->second);
  if (door == doors.end() || door->second.tls) return;
  if (auto there = PeerAddress(handle))
    *place = new Connection{.counts = door->second.counts, .address = std::move(there->first)};
}

void FreeConnection(void* /*parent*/, void* kept, CRYPTO_EX_DATA* /*data*/, int /*index*/,
                    long /*argument*/, void* /*argument*/) {
  delete static_cast<Connection*>(kept);
}

// Nobody else in this process agrees with its clients on HTTP/2. Whose bytes these are libgrpc does
// not say: each connection counts for itself.
Connection* OfTls(SSL* tls) {
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls, &protocol, &size);
  if (size != 2 || !SSL_is_server(tls)) return nullptr;
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, FreeConnection);
  if (void* const kept = SSL_get_ex_data(tls, index)) return static_cast<Connection*>(kept);
  auto made = std::make_unique<Connection>(Connection{std::make_shared<VainCount>(), ""});
  return SSL_set_ex_data(tls, index, made.get()) == 1 ? made.release() : nullptr;
}

}  // namespace

GrpcDoor::GrpcDoor(int port, bool tls, std::shared_ptr<VainCount> counts) : port_(port) {
  const std::lock_guard lock(doors_mutex);
  doors[port] = {tls, std::move(counts)};
}

GrpcDoor::~GrpcDoor() {
  const std::lock_guard lock(doors_mutex);
  doors.erase(port_);
}

}  // namespace fairlead::grpc_room

// In the places of the system's and OpenSSL's.
extern "C" {

[[gnu::visibility("default")]] int accept4(int listener, sockaddr* name, socklen_t* size,
                                           int flags) {
  static constinit std::atomic<int (*)(int, sockaddr*, socklen_t*, int)> real = nullptr;
  const int handle = fairlead::grpc_room::Real(real, "accept4")(listener, name, size, flags);
  const int error = errno;
  fairlead::grpc_room::Admit(listener, handle);
  errno = error;
  return handle;
}

[[gnu::visibility("default")]] ssize_t recvmsg(int handle, msghdr* message, int flags) {
  using fairlead::grpc_room::Connection;
  static constinit std::atomic<ssize_t (*)(int, msghdr*, int)> real = nullptr;
  const ssize_t size = fairlead::grpc_room::Real(real, "recvmsg")(handle, message, flags);
  auto* const place = size <= 0 ? nullptr : fairlead::grpc_room::PlaceOf(handle);
  if (place == nullptr || (flags & (MSG_PEEK | MSG_ERRQUEUE)) != 0) return size;
  Connection* const connection = place->load(std::memory_order_acquire);
  if (connection == nullptr) return size;
  auto left = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < message->msg_iovlen && left > 0; ++i) {
    const iovec& piece = message->msg_iov[i];
    const std::size_t part = std::min(left, piece.iov_len);
    left -= part;
    if (connection->Passes({static_cast<const char*>(piece.iov_base), part})) continue;
    shutdown(handle, SHUT_RDWR);
    errno = ECONNRESET;
    return -1;
  }
  return size;
}

[[gnu::visibility("default")]] int close(int handle) {
  static constinit std::atomic<int (*)(int)> real = nullptr;
  if (auto* const place = fairlead::grpc_room::PlaceOf(handle)) {
    if (place->load(std::memory_order_relaxed) != nullptr) delete place->exchange(nullptr);
  }
  return fairlead::grpc_room::Real(real, "close")(handle);
}

[[gnu::visibility("default")]] int SSL_read(SSL* tls, void* into, int most) {
  static constinit std::atomic<int (*)(SSL*, void*, int)> real = nullptr;
  const int size = fairlead::grpc_room::Real(real, "SSL_read")(tls, into, most);
  auto* const connection = size <= 0 ? nullptr : fairlead::grpc_room::OfTls(tls);
  if (connection == nullptr ||
      connection->Passes({static_cast<const char*>(into), static_cast<std::size_t>(size)}))
    return size;
  return -1;  // which ends the connection
}
}
