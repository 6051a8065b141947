// One connection: reads a request, waits for its reply, writes it, and again. Of the room alone.
//
// All of it happens on the thread of its loop. Time is counted in the loop's ticks: each phase has
// a last tick, and the loop cuts off who is still in it then.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
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

#include "fairlead/execution/memory_shortage.h"
#include "fairlead/serving/http/http_coding.h"
#include "fairlead/serving/http/http_parser.h"
#include "fairlead/serving/http/http_server.h"
#include "fairlead/serving/task_thread.h"

namespace fairlead::http_room {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Code = boost::system::error_code;
using ClearStream = Tcp::socket;
using TlsStream = asio::ssl::stream<Tcp::socket>;

inline constexpr std::chrono::milliseconds kTick{50};
inline constexpr Duration kLinger = std::chrono::seconds{2};
// Larger bodies are unpacked and read by a thread of their own, so that nobody waits for them.
inline constexpr std::size_t kHeavy = 1 << 20;         // bytes
inline constexpr std::size_t kHeavyPacked = 32 << 10;  // likewise, compressed
// The body of a request that is refused is read past if it is no longer than this.
inline constexpr std::uint64_t kReadPast = 1 << 20;
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

using Tick = std::int64_t;
inline constexpr Tick kNoTick = INT64_MAX;

enum class Phase : std::uint8_t { kSetUp, kIdle, kHeader, kBody, kAnswering, kWriting, kClosing };

class ConnectionBase;

// Reads what is there, and when the last of it reached this machine by the time of day, where the
// system says: 0 otherwise.
struct Stamped {
  ssize_t size = 0;
  std::int64_t wall_ns = 0;
};
inline Stamped ReadStamped(int handle, const asio::mutable_buffer& into) {
  iovec piece{.iov_base = into.data(), .iov_len = into.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> control;
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  Stamped stamped{.size = recvmsg(handle, &message, MSG_DONTWAIT)};
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); stamped.size > 0 && one != nullptr;
       one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec at{};
    std::memcpy(&at, CMSG_DATA(one), sizeof at);
    stamped.wall_ns = at.tv_sec * std::int64_t{1'000'000'000} + at.tv_nsec;
  }
  return stamped;
}

// What all connections of a server share.
struct Shared {
  HttpLimits limits;
  HttpHandler& handler;
  MemoryBudget& memory;
  const StallWatch* time;
  TaskThread heavy{10};
};

// A thread's connections. Shared with those who still owe replies.
struct Loop {
  asio::io_context context{1};
  asio::steady_timer timer{context};
  std::list<std::shared_ptr<ConnectionBase>> connections;
  Tick now = 0;
  bool armed = false;  // the timer
  bool closing = false;
  Tick last = kNoTick;  // when everybody is cut off
  std::int64_t second = 0;
  std::function<void()> each_tick;
  const StallWatch* watch = nullptr;  // not owned
  Instant ticked{};
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
  // For a request, or for its header.
  bool waits() const {
    return phase_ == Phase::kIdle || phase_ == Phase::kSetUp || phase_ == Phase::kHeader;
  }
  bool known() const { return known_; }  // somebody was let in by it
  Tick last_tick() const { return last_tick_; }
  virtual int Handle() = 0;  // the system's, of the socket

  std::list<std::shared_ptr<ConnectionBase>>::iterator place;

 protected:
  Phase phase_ = Phase::kSetUp;
  Tick last_tick_ = 0;
  bool known_ = false;
};

// What its address has of the server's connections. One that is `spare` is there for operators and
// health checks alone.
struct Seat {
  std::string address;
  std::shared_ptr<void> taken;
  bool spare = false;
};

template <typename Stream>
class Connection final : public ConnectionBase,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Stream stream, std::shared_ptr<Loop> loop, Shared& shared, Seat seat)
      : stream_(std::move(stream)),
        loop_(std::move(loop)),
        shared_(shared),
        limits_(shared.limits),
        seat_(std::move(seat)) {}

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
    draining_ = false;
    head_only_ = false;
    parser_->LimitHeader(static_cast<std::uint32_t>(limits_.header));
    parser_->body_limit(static_cast<std::uint64_t>(limits_.body));
    Enter(Phase::kIdle, limits_.idle_time);
    SkipEmptyLine();
    if (buffer_.size() > 0) {
      Enter(Phase::kHeader, limits_.header_time);
      return Parse();
    }
    if (buffer_.capacity() > kMostAtOnce) buffer_ = {};
    if (share_.open()) share_.Hold(kStanding);
    if constexpr (std::is_same_v<Stream, ClearStream>) {
      if (shared_.time != nullptr) return ReadFirst();
    }
    Read();
  }

  // The first of a request, with the time at which it came.
  void ReadFirst() {
    stream_.async_wait(Tcp::socket::wait_read, [self = this->shared_from_this()](const Code& code) {
      if (code) return self->Cut();
      const Stamped got = ReadStamped(self->Handle(), self->buffer_.prepare(kMostAtOnce));
      if (got.size < 0 && (errno == EAGAIN || errno == EINTR)) return self->ReadFirst();
      if (got.size <= 0) return self->Cut();
      self->wall_ns_ = got.wall_ns;
      self->HasRead({}, static_cast<std::size_t>(got.size));
    });
  }

  void Read() {
    // A body that is long comes in long pieces.
    const std::size_t most = phase_ == Phase::kBody ? kMostOfBody : kMostAtOnce;
    const auto into = Room(most);
    if (!into.has_value()) return Refuse(NoMemory());
    stream_.async_read_some(*into,
                            [self = this->shared_from_this()](const Code& code, std::size_t size) {
                              self->HasRead(code, size);
                            });
  }

  // For so many bytes more; none: there is no memory.
  std::optional<asio::mutable_buffer> Room(std::size_t bytes) {
    try {
      const RefusableWork refusable;
      return buffer_.prepare(bytes);
    } catch (const std::bad_alloc&) {
      return std::nullopt;
    }
  }

  void HasRead(const Code& code, std::size_t size) {
    if (code) return Cut();
    buffer_.commit(size);
    if (phase_ == Phase::kIdle) {
      if (shared_.time != nullptr)
        received_ = shared_.time->Arrived(std::exchange(wall_ns_, 0), received_);
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
      if (!had_header && HasFolded())
        return Refuse(HttpError(400, "malformed", "a line of the header is folded"));
      Code code;
      std::size_t used = 0;
      try {
        const RefusableWork refusable;
        used = parser_->put(buffer_.data(), code);
      } catch (const std::bad_alloc&) {
        return Refuse(NoMemory());
      }
      buffer_.consume(used);
      if (draining_ && code && code != http::error::need_more) return Cut();
      if (code == http::error::need_more) {
        // What is left of a body then is a chunk's first line, or trailers.
        if (!had_header || buffer_.size() <= static_cast<std::size_t>(limits_.header))
          return Read();
        return Refuse(
            HttpError(431, "too-large", "a chunk's header, or its trailers, are too large"));
      }
      if (code == http::error::header_limit)
        return Refuse(HttpError(431, "too-large", "the header is too large"));
      if (code == http::error::body_limit) return Refuse(TooLarge(limits_.body));
      if (code == http::error::buffer_overflow) return Refuse(NoMemory());
      if (code) return Refuse(HttpError(400, "malformed", code.message()));
      if (had_header || !parser_->is_header_done()) continue;
      if (!parser_->HasOneHost())
        return Refuse(HttpError(400, "malformed", "one header 'Host' is needed"));
      if (!TakesBody()) return;
      parser_->eager(true);
      if (parser_->is_done()) break;
      Enter(Phase::kBody, limits_.body_time);
      if (WaitsForContinue()) return WriteContinue();
    }
    if (draining_) return NextRequest();  // it has been answered
    Answer();
  }

  // A header in one piece with lines that go on in the next: what it means is not agreed upon.
  bool HasFolded() const {
    const asio::const_buffer bytes = buffer_.data();
    std::string_view text(static_cast<const char*>(bytes.data()), bytes.size());
    text = text.substr(0, text.find("\r\n\r\n"));
    return text.find("\n ") != text.npos || text.find("\n\t") != text.npos;
  }

  // Its header is there: who sends it may do so, and there is memory for what follows. False: it
  // has been answered, and the rest is not read.
  bool TakesBody() {
    HttpRequest& head = parser_->request();
    if (shared_.time != nullptr) head.received = received_;
    const auto length = parser_->content_length();
    std::int64_t most = limits_.body;
    std::optional<HttpReply> refusal;
    try {
      const RefusableWork refusable;
      HttpAdmission admission = shared_.handler.Admit(head);
      refusal = std::move(admission.refusal);
      most = std::min(most, admission.body);
      if (!refusal.has_value() && seat_.spare && !admission.reserved)
        refusal = HttpError(503, "connections", "too many connections");
      if (!refusal.has_value() && length.has_value() && *length > static_cast<std::uint64_t>(most))
        refusal = TooLarge(most);
      if (!refusal.has_value() && admission.tenant.has_value() &&
          !Pays(admission, static_cast<std::int64_t>(length.value_or(0))))
        refusal = NoMemory();
      const bool kept = !refusal.has_value() && admission.tenant.has_value();
      parser_->TakeBody(most, kept ? &share_ : nullptr);
    } catch (const std::bad_alloc&) {
      refusal = NoMemory();
    }
    if (!refusal.has_value()) return true;
    // A short body is read past, after the answer.
    draining_ =
        parser_->is_done() || (!WaitsForContinue() && length.has_value() && *length <= kReadPast);
    if (!draining_) {
      Refuse(std::move(*refusal));
      return false;
    }
    keep_alive_ = parser_->keep_alive();
    head_only_ = head.method == "HEAD";
    Write(std::move(*refusal));
    return false;
  }

  bool Pays(const HttpAdmission& admission, std::int64_t length) {
    if (!share_.open() || share_.tenant() != *admission.tenant) {
      share_.Close();
      share_ = shared_.memory.Open(
          {.tenant = *admission.tenant, .address = seat_.address, .reserved = admission.reserved});
    }
    known_ = true;
    return share_.Hold(IsSmall(length) ? kStanding : MemoryFor(length) + kMostOfBody);
  }

  static HttpReply TooLarge(std::int64_t most) {
    return HttpError(413, "too-large", fmt::format("the body is larger than {} bytes", most));
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
      const RefusableWork refusable;
      HttpRequest request = parser_->TakeRequest();
      accepted_ = CodingOf(request.Header("Accept-Encoding"));
      const bool packed = !request.Header("Content-Encoding").empty();
      if (request.body.size() > (packed ? kHeavyPacked : kHeavy))
        return AnswerApart(serial, std::move(request), reply);
      if (packed) {
        if (auto refusal = UnpackBody(request, limits_.body, &share_))
          return Reply(serial, Made(std::move(*refusal)));
      }
      gone = shared_.handler.Handle(std::move(request), reply);
    } catch (const std::bad_alloc&) {
      Reply(serial, [] { return NoMemory(); });
    }
    if (phase_ == Phase::kAnswering && serial_ == serial) gone_ = std::move(gone);
  }

  // On the thread for heavy ones. The loop does not touch the share meanwhile.
  void AnswerApart(std::uint64_t serial, HttpRequest request, const HttpReplyTo& reply) {
    const auto kept = std::make_shared<HttpRequest>(std::move(request));
    shared_.heavy.Post([self = this->shared_from_this(), serial, kept, reply] {
      std::function<void()> gone;
      try {
        const RefusableWork refusable;
        if (auto refusal = UnpackBody(*kept, self->limits_.body, &self->share_))
          return reply(Made(std::move(*refusal)));
        gone = self->shared_.handler.Handle(std::move(*kept), reply);
      } catch (const std::bad_alloc&) {
        return reply([] { return NoMemory(); });
      }
      if (gone == nullptr) return;
      asio::dispatch(
          self->loop_->context, [weak = self->weak_from_this(), serial, gone = std::move(gone)] {
            const auto still = weak.lock();
            if (still && still->phase_ == Phase::kAnswering && still->serial_ == serial) {
              still->gone_ = gone;
            } else {
              gone();  // the client went away; or it was answered: then nothing happens
            }
          });
    });
  }

  static HttpReply NoMemory() {
    HttpReply reply = HttpError(503, "no-memory", "there is no memory for this request");
    reply.headers.push_back({"Retry-After", "1"});
    return reply;
  }

  void Reply(std::uint64_t serial, const HttpMaker& maker) {
    if (phase_ != Phase::kAnswering || serial != serial_) return;
    gone_ = {};
    std::optional<HttpReply> reply;
    try {
      const RefusableWork refusable;
      reply = maker();
      if (!head_only_) PackBody(accepted_, *reply);
    } catch (const std::bad_alloc&) {
      reply = NoMemory();
    }
    Write(std::move(*reply));
  }

  // The rest of what the client sends is not read as requests any more.
  void Refuse(HttpReply reply) {
    keep_alive_ = false;
    Write(std::move(reply));
  }

  void Write(HttpReply reply) {
    Enter(Phase::kWriting, limits_.write_time);
    if (loop_->closing || seat_.spare) keep_alive_ = false;
    reply_ = std::move(reply);
    if (share_.open()) HoldReply();
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
                        if (!self->draining_) return self->NextRequest();
                        self->parser_->eager(true);
                        self->Enter(Phase::kBody, self->limits_.body_time);
                        self->Parse();
                      });
  }

  // In the place of the request, which is over.
  void HoldReply() {
    std::size_t size = reply_.body.size();
    for (const SharedBytes& piece : reply_.tail) size += piece.bytes.size();
    const auto length = static_cast<std::int64_t>(size);
    share_.MustHold(IsSmall(length) ? kStanding : kStanding + length);
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
    const auto into = Room(kMostAtOnce);
    if (!into.has_value()) return Cut();
    stream_.async_read_some(*into,
                            [self = this->shared_from_this()](const Code& code, std::size_t) {
                              if (code) return self->Cut();
                              self->Discard();
                            });
  }

  // Fits into what every connection holds.
  static bool IsSmall(std::int64_t length) { return length <= kStanding / 4; }

  static constexpr std::size_t kMostAtOnce = 8 << 10;
  static constexpr std::size_t kMostOfBody = 256 << 10;

  Stream stream_;
  const std::shared_ptr<Loop> loop_;
  Shared& shared_;
  const HttpLimits& limits_;
  const Seat seat_;
  MemoryBudget::Share share_;
  boost::beast::flat_buffer buffer_;
  Instant received_{};        // the first byte of the request
  std::int64_t wall_ns_ = 0;  // the same by the time of day, where the system says
  bool draining_ = false;     // it was refused by its header, and the rest is read past
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
