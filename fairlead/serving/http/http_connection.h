// One connection: reads a request, waits for its reply, writes it, and again. Of the room alone.
//
// All of it happens on the thread of its loop. Time is counted in the loop's ticks: each phase has
// a last tick, and the loop cuts off who is still in it then.
#pragma once

#include <poll.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fairlead/serving/http/http_coding.h"
#include "fairlead/serving/http/http_parser.h"
#include "fairlead/serving/http/http_server.h"

namespace fairlead::http_room {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Code = boost::system::error_code;
using ClearStream = Tcp::socket;
using TlsStream = asio::ssl::stream<Tcp::socket>;

inline constexpr std::chrono::milliseconds kTick{50};
inline constexpr Duration kLinger = std::chrono::seconds{2};
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

using Tick = std::int64_t;
inline constexpr Tick kNoTick = INT64_MAX;

enum class Phase : std::uint8_t { kSetUp, kIdle, kHeader, kBody, kAnswering, kWriting, kClosing };

class ConnectionBase;

// A thread's connections. Shared with those who still owe replies.
struct Loop {
  asio::io_context context{1};
  asio::steady_timer timer{context};
  std::list<std::shared_ptr<ConnectionBase>> connections;
  Tick now = 0;
  bool closing = false;
  Tick last = kNoTick;  // when everybody is cut off
  std::int64_t second = 0;
  std::string date;  // of that second, as replies have it

  Tick After(Duration time) const {
    return now + 1 + std::chrono::ceil<std::chrono::milliseconds>(time) / kTick;
  }
};

class ConnectionBase {
 public:
  virtual ~ConnectionBase() = default;
  virtual void Cut() = 0;  // closes, at once

  Phase phase() const { return phase_; }
  Tick last_tick() const { return last_tick_; }
  virtual int Handle() = 0;  // the system's, of the socket

  std::list<std::shared_ptr<ConnectionBase>>::iterator place;

 protected:
  Phase phase_ = Phase::kSetUp;
  Tick last_tick_ = 0;
};

template <typename Stream>
class Connection final : public ConnectionBase,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Stream stream, std::shared_ptr<Loop> loop, const HttpLimits& limits,
             HttpHandler& handler)
      : stream_(std::move(stream)), loop_(std::move(loop)), limits_(limits), handler_(handler) {}

  void Begin() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      Enter(Phase::kSetUp, limits_.header_time);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](const Code& code) {
                                if (code) return self->Cut();
                                self->NextRequest();
                              });
    } else {
      NextRequest();
    }
  }

  int Handle() override { return stream_.lowest_layer().native_handle(); }

  void Cut() override {
    if (!stream_.lowest_layer().is_open()) return;
    Code ignored;
    stream_.lowest_layer().close(ignored);
    const bool owed = phase_ == Phase::kAnswering;
    phase_ = Phase::kClosing;
    ++serial_;
    if (owed && gone_) std::exchange(gone_, {})();
    loop_->connections.erase(place);  // handlers that are under way still hold it
  }

 private:
  void Enter(Phase phase, Duration time) {
    phase_ = phase;
    last_tick_ = loop_->After(time);
  }

  void NextRequest() {
    if (loop_->closing) return Shutdown();
    parser_.emplace();
    head_only_ = false;
    parser_->LimitHeader(static_cast<std::uint32_t>(limits_.header));
    parser_->body_limit(static_cast<std::uint64_t>(limits_.body));
    Enter(Phase::kIdle, limits_.idle_time);
    SkipEmptyLine();
    if (buffer_.size() > 0) {
      Enter(Phase::kHeader, limits_.header_time);
      return Parse();
    }
    Read();
  }

  void Read() {
    // A body that is long comes in long pieces.
    const std::size_t most = phase_ == Phase::kBody ? 256 << 10 : 16 << 10;
    stream_.async_read_some(buffer_.prepare(most),
                            [self = this->shared_from_this()](const Code& code, std::size_t size) {
                              self->HasRead(code, size);
                            });
  }

  void HasRead(const Code& code, std::size_t size) {
    if (code) return Cut();
    buffer_.commit(size);
    if (phase_ == Phase::kIdle) {
      SkipEmptyLine();
      if (buffer_.size() == 0) return Read();
      Enter(Phase::kHeader, limits_.header_time);
    }
    Parse();
  }

  // Some clients end a body with one.
  void SkipEmptyLine() {
    const asio::const_buffer bytes = buffer_.data();
    if (std::string_view(static_cast<const char*>(bytes.data()), bytes.size()).starts_with("\r\n"))
      buffer_.consume(2);
  }

  void Parse() {
    namespace http = boost::beast::http;
    while (!parser_->is_done()) {
      if (buffer_.size() == 0) return Read();
      const bool had_header = parser_->is_header_done();
      Code code;
      std::size_t used = 0;
      try {
        used = parser_->put(buffer_.data(), code);
      } catch (const std::bad_alloc&) {
        return Refuse(NoMemory());
      }
      buffer_.consume(used);
      if (code == http::error::need_more) return Read();
      if (code == http::error::header_limit)
        return Refuse(HttpError(431, "too-large", "the header is too large"));
      if (code == http::error::body_limit) return Refuse(TooLarge());
      if (code) return Refuse(HttpError(400, "malformed", code.message()));
      if (had_header || !parser_->is_header_done()) continue;
      if (!parser_->HasOneHost())
        return Refuse(HttpError(400, "malformed", "one header 'Host' is needed"));
      parser_->eager(true);
      if (parser_->is_done()) break;
      Enter(Phase::kBody, limits_.body_time);
      if (WaitsForContinue()) return WriteContinue();
    }
    Answer();
  }

  HttpReply TooLarge() const {
    return HttpError(413, "too-large",
                     fmt::format("the body is larger than {} bytes", limits_.body));
  }

  bool WaitsForContinue() const {
    return buffer_.size() == 0 && parser_->version() >= 11 &&
           boost::beast::iequals(std::string(parser_->request().Header("Expect")), "100-continue");
  }

  void WriteContinue() {
    asio::async_write(stream_, asio::buffer(kContinue),
                      [self = this->shared_from_this()](const Code& code, std::size_t) {
                        if (code) return self->Cut();
                        self->Read();
                      });
  }

  void Answer() {
    phase_ = Phase::kAnswering;
    last_tick_ = kNoTick;
    keep_alive_ = parser_->keep_alive();
    head_only_ = parser_->request().method == "HEAD";
    const auto reply = [loop = loop_, self = this->weak_from_this(),
                        serial = ++serial_](HttpMaker maker) {
      asio::dispatch(loop->context, [self, serial, maker = std::move(maker)] {
        if (const auto connection = self.lock()) connection->Reply(serial, maker);
      });
    };
    const std::uint64_t serial = serial_;
    std::function<void()> gone;
    try {
      HttpRequest request = parser_->TakeRequest();
      accepted_ = CodingOf(request.Header("Accept-Encoding"));
      if (auto refusal = UnpackBody(request, limits_.body))
        return Reply(serial, Made(std::move(*refusal)));
      gone = handler_.Handle(std::move(request), reply);
    } catch (const std::bad_alloc&) {
      Reply(serial, [] { return NoMemory(); });
    }
    if (phase_ == Phase::kAnswering && serial_ == serial) gone_ = std::move(gone);
  }

  static HttpReply NoMemory() {
    return HttpError(503, "no-memory", "there is no memory for this request");
  }

  void Reply(std::uint64_t serial, const HttpMaker& maker) {
    if (phase_ != Phase::kAnswering || serial != serial_) return;
    gone_ = {};
    try {
      HttpReply reply = maker();
      if (!head_only_) PackBody(accepted_, reply);
      Write(std::move(reply));
    } catch (const std::bad_alloc&) {
      if (phase_ == Phase::kAnswering) Write(NoMemory());
    }
  }

  // The rest of what the client sends is not read as requests any more.
  void Refuse(HttpReply reply) {
    keep_alive_ = false;
    Write(std::move(reply));
  }

  void Write(HttpReply reply) {
    Enter(Phase::kWriting, limits_.write_time);
    if (loop_->closing) keep_alive_ = false;
    reply_ = std::move(reply);
    head_ = HttpHead(reply_,
                     !keep_alive_              ? AfterReply::kClose
                     : parser_->version() < 11 ? AfterReply::kKeepAliveAloud
                                               : AfterReply::kKeepAlive,
                     loop_->date);
    pieces_.assign(1, asio::buffer(head_));
    if (!head_only_) {
      pieces_.push_back(asio::buffer(reply_.body));
      for (const SharedBytes& piece : reply_.tail)
        pieces_.push_back(asio::buffer(piece.bytes.data(), piece.bytes.size()));
    }
    asio::async_write(stream_, pieces_,
                      [self = this->shared_from_this()](const Code& code, std::size_t) {
                        if (code) return self->Cut();
                        self->reply_ = {};
                        if (!self->keep_alive_) return self->Shutdown();
                        self->NextRequest();
                      });
  }

  // Who is still sending would otherwise lose the reply that says why it is cut off.
  void Shutdown() {
    Enter(Phase::kClosing, kLinger);
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_shutdown([self = this->shared_from_this()](const Code&) { self->Cut(); });
    } else {
      Code code;
      stream_.shutdown(Tcp::socket::shutdown_send, code);
      if (code) return Cut();
      Discard();
    }
  }

  void Discard() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(16 << 10),
                            [self = this->shared_from_this()](const Code& code, std::size_t) {
                              if (code) return self->Cut();
                              self->Discard();
                            });
  }

  Stream stream_;
  const std::shared_ptr<Loop> loop_;
  const HttpLimits& limits_;
  HttpHandler& handler_;
  boost::beast::flat_buffer buffer_;
  std::optional<HttpParser> parser_;
  bool keep_alive_ = true;
  bool head_only_ = false;
  AcceptedCoding accepted_;
  std::uint64_t serial_ = 0;    // of the request
  std::function<void()> gone_;  // while it is being answered
  HttpReply reply_;             // while it is written
  std::string head_;
  std::vector<asio::const_buffer> pieces_;
};

}  // namespace fairlead::http_room
