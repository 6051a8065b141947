#include "fairlead/serving/http/http_server.h"

#include <fmt/format.h>

#include <boost/beast/core/string.hpp>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "fairlead/serving/clock.h"
#include "fairlead/serving/http/http_connection.h"

namespace fairlead {
namespace {

namespace asio = http_room::asio;
using http_room::ClearStream;
using http_room::Code;
using http_room::Connection;
using http_room::ConnectionBase;
using http_room::kTick;
using http_room::Loop;
using http_room::Phase;
using http_room::Seat;
using http_room::Shared;
using http_room::Tcp;
using http_room::TlsStream;

constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nFairlead-Reason: connections\r\n"
    "Content-Type: application/json\r\nConnection: close\r\nContent-Length: 33\r\n\r\n"
    "{\"error\":\"too many connections\"}\n";

// Connections whose client has hung up while it was owed a reply.
void CutTheGone(Loop& loop) {
  std::vector<pollfd> handles;
  std::vector<std::shared_ptr<ConnectionBase>> owed;
  for (const auto& connection : loop.connections) {
    if (connection->phase() != Phase::kAnswering) continue;
    handles.push_back({.fd = connection->Handle(), .events = POLLRDHUP, .revents = 0});
    owed.push_back(connection);
  }
  if (owed.empty() || poll(handles.data(), handles.size(), 0) <= 0) return;
  for (std::size_t i = 0; i < owed.size(); ++i) {
    if (handles[i].revents != 0) owed[i]->Cut();
  }
}

void CutTheLate(Loop& loop) {
  std::vector<std::shared_ptr<ConnectionBase>> late;
  for (const auto& connection : loop.connections) {
    const bool idle = connection->phase() == Phase::kIdle;
    if (connection->last_tick() <= loop.now || loop.last <= loop.now || (loop.closing && idle))
      late.push_back(connection);
  }
  for (const auto& connection : late) connection->Cut();
}

void KeepDate(Loop& loop) {
  const std::int64_t second = WallNanoseconds() / 1'000'000'000;
  if (std::exchange(loop.second, second) != second) loop.date = HttpDate(second);
}

// First of all the timer: whatever goes wrong below, there is a next time.
void KeepTime(Loop& loop) {
  ++loop.now;
  loop.timer.expires_after(kTick);
  loop.timer.async_wait([&loop](const Code& code) {
    if (code) return;
    loop.armed = false;
    KeepTime(loop);
  });
  loop.armed = true;
  if (loop.watch != nullptr) loop.ticked = loop.watch->NoteTick(loop.ticked);
  KeepDate(loop);
  CutTheLate(loop);
  CutTheGone(loop);
  if (loop.each_tick) loop.each_tick();
  if (loop.closing && loop.connections.empty()) loop.timer.cancel();  // the thread ends
}

void RunLoop(Loop& loop) {
  while (true) {
    try {
      if (!loop.armed) KeepTime(loop);
      loop.context.run();
      return;
    } catch (const std::exception&) {
      // Of one connection, which stays where it is until its time is up; or of the timer.
      std::this_thread::yield();
    }
  }
}

// How many connections each address has.
class Seats : public std::enable_shared_from_this<Seats> {
 public:
  explicit Seats(int most) : most_(most) {}

  // Taken until the last copy goes; null: the address has as many as it may have.
  std::shared_ptr<void> Take(const std::string& address) {
    const std::lock_guard lock(mutex_);
    int& taken = taken_[address];
    if (taken >= most_) return nullptr;
    std::shared_ptr<void> seat(
        this, [self = shared_from_this(), address](void*) { self->GiveBack(address); });
    ++taken;
    return seat;
  }

 private:
  void GiveBack(const std::string& address) {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(address);
    if (--found->second == 0) taken_.erase(found);
  }

  const int most_;
  std::mutex mutex_;
  std::unordered_map<std::string, int> taken_;
};

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpOptions& options, HttpHandler& handler)
      : own_memory_(MemoryBudget::Default()),
        shared_{.limits = options.limits,
                .handler = handler,
                .memory = options.memory == nullptr ? own_memory_ : *options.memory,
                .time = options.time},
        limits_(shared_.limits),
        seats_(std::make_shared<Seats>(limits_.per_address)) {
    for (int i = 0; i < std::max(options.threads, 1); ++i)
      loops_.emplace_back(std::make_shared<Loop>())->watch = options.time;
    acceptor_.emplace(loops_.front()->context);
  }
  ~BeastServer() override { BeastServer::Close(Duration::zero()); }

  Status Listen(const HttpOptions& options) {
    if (options.tls.has_value()) RETURN_IF_ERROR(PrepareTls(*options.tls));
    Code code;
    const auto address = asio::ip::make_address(options.address, code);
    if (code) return Fail("'{}' is no address: {}", options.address, code.message());
    const Tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options.port));
    acceptor_->open(endpoint.protocol(), code);
    if (!code) acceptor_->set_option(Tcp::acceptor::reuse_address(true), code);
    if (!code) acceptor_->bind(endpoint, code);
    if (!code) acceptor_->listen(asio::socket_base::max_listen_connections, code);
    if (!code) {
      // Accepted connections have it too: each read says when its bytes came.
      const int on = 1;
      setsockopt(acceptor_->native_handle(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    }
    if (code)
      return Fail("cannot listen on {}:{}: {}", options.address, options.port, code.message());
    port_ = acceptor_->local_endpoint().port();
    return {};
  }

  Status StartThreads() {
    loops_.front()->each_tick = [this] {
      if (!accepting_ && acceptor_->is_open()) Accept();
    };
    Accept();
    try {
      for (const auto& loop : loops_) {
        KeepTime(*loop);
        threads_.emplace_back([loop] { RunLoop(*loop); });
      }
    } catch (const std::system_error& error) {
      Close(Duration::zero());
      return Fail("cannot start a thread: {}", error.what());
    }
    return {};
  }

  int port() const override { return port_; }

  void Close(Duration grace) override {
    if (closed_) return;
    closed_ = true;
    if (threads_.empty()) return;  // nobody would take what is posted, which holds its loop
    asio::post(loops_.front()->context, [this] {
      Code ignored;
      acceptor_->close(ignored);
    });
    for (const auto& loop : loops_) {
      asio::post(loop->context, [loop, grace] {
        loop->closing = true;
        loop->last = loop->After(grace);
        KeepTime(*loop);  // looks at once
      });
    }
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  Status PrepareTls(const TlsFiles& files) {
    tls_.emplace(asio::ssl::context::tls_server);
    Code code;
    tls_->set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1 |
                          asio::ssl::context::no_compression,
                      code);
    if (!code) tls_->use_certificate_chain_file(files.certificates, code);
    if (code) return Fail("{}: {}", files.certificates, code.message());
    tls_->use_private_key_file(files.key, asio::ssl::context::pem, code);
    if (code) return Fail("{}: {}", files.key, code.message());
    if (SSL_CTX_check_private_key(tls_->native_handle()) != 1)
      return Fail("{}: it is not the key of {}", files.key, files.certificates);
    return {};
  }

  // On the first loop's thread. Connections are dealt in turn.
  void Accept() {
    const std::shared_ptr<Loop> loop = loops_[next_++ % loops_.size()];
    accepting_ = false;
    acceptor_->async_accept(loop->context, [this, loop](const Code& code, Tcp::socket socket) {
      accepting_ = false;
      // Where the system has run out of something, the next tick tries again.
      if (!acceptor_->is_open() || code) return;
      Accept();
      asio::post(loop->context, [this, loop, socket = std::move(socket)]() mutable {
        Take(loop, std::move(socket));
      });
    });
    accepting_ = true;
  }

  // On the thread of its loop.
  void Take(const std::shared_ptr<Loop>& loop, Tcp::socket socket) {
    const auto most = static_cast<std::size_t>(limits_.connections) / loops_.size() + 1;
    Code code;
    if (loop->closing) return;
    std::string address = socket.remote_endpoint(code).address().to_string();
    if (code) return;
    std::shared_ptr<void> seat = seats_->Take(address);
    const bool full = loop->connections.size() >= most - most / kSparePart;
    const bool spare = full && !MakeRoom(*loop);
    if (seat == nullptr || (spare && loop->connections.size() >= most)) {
      socket.non_blocking(true, code);
      if (!tls_.has_value()) socket.write_some(asio::buffer(kFull), code);
      return;
    }
    socket.set_option(Tcp::no_delay(true), code);
    if (tls_.has_value()) {
      Begin<TlsStream>(loop, TlsStream(std::move(socket), *tls_),
                       {std::move(address), std::move(seat), spare});
    } else {
      Begin<ClearStream>(loop, std::move(socket), {std::move(address), std::move(seat), spare});
    }
  }

  // Cuts the connection that has been there longest of those that wait for a request and have shown
  // no key.
  static bool MakeRoom(Loop& loop) {
    const auto found = std::ranges::find_if(loop.connections, [](const auto& connection) {
      return connection->waits() && !connection->known();
    });
    if (found == loop.connections.end()) return false;
    std::shared_ptr<ConnectionBase>(*found)->Cut();
    return true;
  }

  template <typename Stream>
  void Begin(const std::shared_ptr<Loop>& loop, Stream stream, Seat seat) {
    auto connection =
        std::make_shared<Connection<Stream>>(std::move(stream), loop, shared_, std::move(seat));
    connection->place = loop->connections.insert(loop->connections.end(), connection);
    connection->Begin();
  }

  static constexpr std::size_t kSparePart = 16;  // of all connections, one

  MemoryBudget own_memory_;
  Shared shared_;
  const HttpLimits& limits_;
  const std::shared_ptr<Seats> seats_;
  std::vector<std::shared_ptr<Loop>> loops_;
  std::optional<asio::ssl::context> tls_;
  std::optional<Tcp::acceptor> acceptor_;  // of the first loop
  bool accepting_ = false;                 // likewise
  std::size_t next_ = 0;
  int port_ = 0;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options,
                                                      HttpHandler& handler) {
  auto server = std::make_unique<BeastServer>(options, handler);
  RETURN_IF_ERROR(server->Listen(options));
  RETURN_IF_ERROR(server->StartThreads());
  return server;
}

}  // namespace fairlead
