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
  std::shared_ptr<ClientBooks> books;
};
std::mutex doors_mutex;
std::map<int, Door> doors;  // by port

// Whose bytes they are.
struct Client {
  std::shared_ptr<ClientBooks> books;
  std::string address;
};

// What a client sends in the clear.
struct Frames {
  const Client client;
  FrameCount frames{};
  bool begun = false;  // it has opened a stream

  // False: it has gone too far.
  bool Passes(std::string_view bytes) {
    const FramesSeen seen = frames.Take(bytes);
    if (seen.endless) return false;
    if (seen.opened > 0 && !client.books->Opened(client.address, seen.opened)) return false;
    const bool first = seen.opened > 0 && !std::exchange(begun, true);
    if (!first && seen.in_vain == 0) return true;
    return client.books->InVain(client.address, seen.in_vain) <= ClientBooks::kMostInVain;
  }
};

struct Connection {
  Connection(Client who, bool over_tls) : tls(over_tls), frames{std::move(who)} {
    frames.client.books->Came(frames.client.address);
  }
  ~Connection() { frames.client.books->Left(frames.client.address); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const bool tls;  // its frames are seen when they have been made clear
  Frames frames;
};

// Of TLS: who sent what this thread has just read. libgrpc makes it clear at once.
thread_local Client last_read;

// By file descriptor; null: none of libgrpc's server.
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
  if (door == doors.end()) return;
  if (auto there = PeerAddress(handle))
    *place = new Connection({door->second.books, std::move(there->first)}, door->second.tls);
}

void FreeFrames(void* /*parent*/, void* kept, CRYPTO_EX_DATA* /*data*/, int /*index*/,
                long /*argument*/, void* /*argument*/) {
  delete static_cast<Frames*>(kept);
}

// Nobody else in this process agrees with its clients on HTTP/2.
Frames* OfTls(SSL* tls) {
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls, &protocol, &size);
  if (size != 2 || !SSL_is_server(tls)) return nullptr;
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, FreeFrames);
  if (void* const kept = SSL_get_ex_data(tls, index)) return static_cast<Frames*>(kept);
  if (last_read.books == nullptr) return nullptr;
  auto made = std::make_unique<Frames>(Frames{last_read});
  return SSL_set_ex_data(tls, index, made.get()) == 1 ? made.release() : nullptr;
}

}  // namespace

GrpcDoor::GrpcDoor(int port, bool tls, std::shared_ptr<ClientBooks> books) : port_(port) {
  const std::lock_guard lock(doors_mutex);
  doors[port] = {tls, std::move(books)};
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
  if (connection->tls) {
    fairlead::grpc_room::last_read = connection->frames.client;
    return size;
  }
  auto left = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < message->msg_iovlen && left > 0; ++i) {
    const iovec& piece = message->msg_iov[i];
    const std::size_t part = std::min(left, piece.iov_len);
    left -= part;
    if (connection->frames.Passes({static_cast<const char*>(piece.iov_base), part})) continue;
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
  auto* const frames = size <= 0 ? nullptr : fairlead::grpc_room::OfTls(tls);
  if (frames == nullptr ||
      frames->Passes({static_cast<const char*>(into), static_cast<std::size_t>(size)}))
    return size;
  return -1;  // which ends the connection
}
}
