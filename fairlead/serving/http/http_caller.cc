#include "fairlead/serving/http/http_caller.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <deque>
#include <future>
#include <optional>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "fairlead/serving/http/http_url.h"

namespace fairlead {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Code = boost::system::error_code;
using ClearStream = Tcp::socket;
using TlsStream = asio::ssl::stream<Tcp::socket>;

constexpr std::chrono::milliseconds kTick{50};
constexpr std::uint64_t kLargestReply = std::uint64_t{1} << 32;

class ReplyParser final : public boost::beast::http::basic_parser<false> {
 public:
  HttpReply Take() { return std::move(reply_); }

 private:
  using Text = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb, Text, Text, int, Code&) override {}
  void on_response_impl(int status, Text, int, Code&) override { reply_.status = status; }
  void on_field_impl(boost::beast::http::field field, Text name, Text value, Code&) override {
    if (field == boost::beast::http::field::content_type)
      reply_.content_type.assign(value.data(), value.size());
    reply_.headers.push_back(
        {std::string(name.data(), name.size()), std::string(value.data(), value.size())});
  }
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(Text bytes, Code&) override {
    reply_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, Text, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text bytes, Code&) override {
    reply_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(Code&) override {}

  HttpReply reply_;
};

struct Pending {
  HttpCall call;
  HttpCalled called;
  std::int64_t last_tick = 0;
  bool again = false;  // an idle connection turned out to be dead
};

HttpReply NoReply(std::string_view why) {
  HttpReply reply{.status = 0, .content_type = {}};
  reply.body = why;
  return reply;
}

class Line;

// Those whom lines tell of their fate.
class Lines {
 public:
  virtual ~Lines() = default;
  virtual void Freed(const std::shared_ptr<Line>& line) = 0;
  virtual void Closed(const std::shared_ptr<Line>& line) = 0;
  virtual void Repeat(Pending pending) = 0;
};

// One connection: a call, its reply, and the next.
class Line {
 public:
  virtual ~Line() = default;
  virtual void Send(Pending pending) = 0;
  virtual void Cut(std::string_view why) = 0;
  const std::optional<Pending>& pending() const { return pending_; }

 protected:
  std::optional<Pending> pending_;  // under way
};

template <typename Stream>
class StreamLine final : public Line, public std::enable_shared_from_this<StreamLine<Stream>> {
 public:
  StreamLine(Stream stream, Lines& lines, const Tcp::resolver::results_type& where,
             std::string host)
      : stream_(std::move(stream)), lines_(lines), where_(where), host_(std::move(host)) {}

  void Send(Pending pending) override {
    used_ = connected_;
    pending_ = std::move(pending);
    Compose();
    if (connected_) return Write();
    asio::async_connect(stream_.lowest_layer(), where_,
                        [self = this->shared_from_this()](const Code& code, const Tcp::endpoint&) {
                          if (code) return self->Cut(code.message());
                          Code ignored;
                          self->stream_.lowest_layer().set_option(Tcp::no_delay(true), ignored);
                          self->SetUp();
                        });
  }

  void Cut(std::string_view why) override {
    Code ignored;
    stream_.lowest_layer().close(ignored);
    connected_ = false;
    if (closed_) return;
    closed_ = true;
    std::optional<Pending> pending = std::exchange(pending_, std::nullopt);
    lines_.Closed(this->shared_from_this());
    if (pending.has_value()) pending->called(NoReply(why));
  }

 private:
  void SetUp() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_handshake(asio::ssl::stream_base::client,
                              [self = this->shared_from_this()](const Code& code) {
                                if (code) return self->Cut(code.message());
                                self->connected_ = true;
                                self->Write();
                              });
    } else {
      connected_ = true;
      Write();
    }
  }

  void Compose() {
    const HttpCall& call = pending_->call;
    head_ = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", call.method, call.target, host_);
    for (const HttpHeader& header : call.headers)
      head_ += fmt::format("{}: {}\r\n", header.name, header.value);
    const std::size_t length = call.body.size() + call.tail.bytes.size();
    if (length > 0 || call.method == "POST") head_ += fmt::format("Content-Length: {}\r\n", length);
    head_ += "\r\n";
    pieces_ = {asio::buffer(head_), asio::buffer(call.body),
               asio::buffer(call.tail.bytes.data(), call.tail.bytes.size())};
    parser_.emplace();
    parser_->eager(true);
    parser_->body_limit(kLargestReply);
    buffer_.clear();
    heard_ = false;
  }

  // A server may answer, and hang up, before it has read everything: what it says counts.
  void Write() {
    asio::async_write(
        stream_, pieces_,
        [self = this->shared_from_this()](const Code&, std::size_t) { self->Read(); });
  }

  void Read() {
    stream_.async_read_some(buffer_.prepare(64 << 10),
                            [self = this->shared_from_this()](const Code& code, std::size_t size) {
                              self->HasRead(code, size);
                            });
  }

  void HasRead(const Code& code, std::size_t size) {
    if (closed_) return;
    buffer_.commit(size);
    if (size > 0) heard_ = true;
    Code wrong;
    if (code) {
      if (heard_) parser_->put_eof(wrong);
      if (heard_ && !wrong && parser_->is_done()) return Finish();
      return Lose(code);
    }
    while (buffer_.size() > 0 && !parser_->is_done()) {
      buffer_.consume(parser_->put(buffer_.data(), wrong));
      if (wrong == boost::beast::http::error::need_more) break;
      if (wrong) return Cut(wrong.message());
    }
    if (parser_->is_done()) return Finish();
    Read();
  }

  // A connection that was idle may have been closed by the server meanwhile: that says nothing.
  void Lose(const Code& code) {
    if (!used_ || heard_ || pending_->again) return Cut(code.message());
    Pending pending = std::move(*pending_);
    pending_.reset();
    Cut("");
    pending.again = true;
    lines_.Repeat(std::move(pending));
  }

  void Finish() {
    const bool keep = parser_->keep_alive();
    const Pending pending = std::move(*pending_);
    pending_.reset();
    HttpReply reply = parser_->Take();
    if (keep) {
      lines_.Freed(this->shared_from_this());
    } else {
      Cut("");
    }
    pending.called(std::move(reply));
  }

  Stream stream_;
  Lines& lines_;
  const Tcp::resolver::results_type& where_;
  const std::string host_;
  bool connected_ = false;
  bool closed_ = false;
  bool used_ = false;   // by a call before this one
  bool heard_ = false;  // some of the reply
  std::string head_;
  std::vector<asio::const_buffer> pieces_;
  std::optional<ReplyParser> parser_;
  boost::beast::flat_buffer buffer_;
};

class BeastCaller final : public HttpCaller, public Lines {
 public:
  BeastCaller(HttpUrl parts, int connections)
      : parts_(std::move(parts)), most_(static_cast<std::size_t>(std::max(connections, 1))) {}

  ~BeastCaller() override {
    if (!thread_.joinable()) return;
    asio::post(context_, [this] {
      ending_ = true;
      timer_.cancel();
      CutAll("the client ends");
    });
    work_.reset();
    thread_.join();
  }

  Status Prepare(const HttpCallerOptions& options) {
    Code code;
    Tcp::resolver resolver(context_);
    where_ = resolver.resolve(parts_.name, parts_.port, code);
    if (code) return Fail("{}: {}", options.url, code.message());
    if (parts_.tls) {
      tls_.emplace(asio::ssl::context::tls_client);
      tls_->set_verify_mode(asio::ssl::verify_peer);
      if (options.authorities.empty()) {
        tls_->set_default_verify_paths(code);
      } else {
        tls_->load_verify_file(options.authorities, code);
      }
      if (code) return Fail("{}: {}", options.authorities, code.message());
    }
    KeepTime();
    try {
      thread_ = std::thread([this] { context_.run(); });
    } catch (const std::system_error& error) {
      return Fail("cannot start a thread: {}", error.what());
    }
    return {};
  }

  void Call(HttpCall call, HttpCalled called) override {
    asio::post(context_, [this, pending = Pending{.call = std::move(call),
                                                  .called = std::move(called)}]() mutable {
      pending.last_tick =
          now_ + 1 + std::chrono::ceil<std::chrono::milliseconds>(pending.call.limit) / kTick;
      Begin(std::move(pending));
    });
  }

  std::size_t most_connections() const override { return most_seen_; }

 private:
  void Begin(Pending pending) {
    if (ending_) return pending.called(NoReply("the client ends"));
    if (!idle_.empty() && !pending.again) {
      const auto line = std::move(idle_.back());
      idle_.pop_back();
      return line->Send(std::move(pending));
    }
    if (lines_.size() >= most_) return waiting_.push_back(std::move(pending));
    const auto line = MakeLine();
    lines_.insert(line);
    most_seen_ = std::max(most_seen_.load(), lines_.size());
    line->Send(std::move(pending));
  }

  std::shared_ptr<Line> MakeLine() {
    if (!tls_.has_value())
      return std::make_shared<StreamLine<ClearStream>>(ClearStream(context_), *this, where_,
                                                       parts_.host);
    TlsStream stream(context_, *tls_);
    SSL_set_tlsext_host_name(stream.native_handle(), parts_.name.c_str());
    Code ignored;
    stream.set_verify_callback(asio::ssl::host_name_verification(parts_.name), ignored);
    return std::make_shared<StreamLine<TlsStream>>(std::move(stream), *this, where_, parts_.host);
  }

  void Freed(const std::shared_ptr<Line>& line) override {
    if (waiting_.empty()) return idle_.push_back(line);
    Pending next = std::move(waiting_.front());
    waiting_.pop_front();
    line->Send(std::move(next));
  }

  void Closed(const std::shared_ptr<Line>& line) override {
    lines_.erase(line);
    std::erase(idle_, line);
    if (waiting_.empty() || ending_) return;
    Pending next = std::move(waiting_.front());
    waiting_.pop_front();
    asio::post(context_, [this, next = std::move(next)]() mutable { Begin(std::move(next)); });
  }

  void Repeat(Pending pending) override { Begin(std::move(pending)); }

  void KeepTime() {
    ++now_;
    std::vector<std::shared_ptr<Line>> late;
    for (const auto& line : lines_) {
      if (line->pending().has_value() && line->pending()->last_tick <= now_) late.push_back(line);
    }
    for (const auto& line : late) line->Cut("it took too long");
    while (!waiting_.empty() && waiting_.front().last_tick <= now_) {
      const Pending pending = std::move(waiting_.front());
      waiting_.pop_front();
      pending.called(NoReply("it took too long to find a connection"));
    }
    if (ending_) return;
    timer_.expires_after(kTick);
    timer_.async_wait([this](const Code&) {
      if (!ending_) KeepTime();
    });
  }

  void CutAll(std::string_view why) {
    const auto lines = lines_;
    for (const auto& line : lines) line->Cut(why);
    for (const Pending& pending : std::exchange(waiting_, {})) pending.called(NoReply(why));
  }

  const HttpUrl parts_;
  const std::size_t most_;
  asio::io_context context_{1};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_{
      context_.get_executor()};
  asio::steady_timer timer_{context_};
  std::optional<asio::ssl::context> tls_;
  Tcp::resolver::results_type where_;
  std::unordered_set<std::shared_ptr<Line>> lines_;  // all of them
  std::vector<std::shared_ptr<Line>> idle_;          // the last one that was used at the end
  std::deque<Pending> waiting_;
  std::int64_t now_ = 0;  // ticks
  bool ending_ = false;
  std::atomic<std::size_t> most_seen_ = 0;
  std::thread thread_;
};

}  // namespace

HttpReply HttpCaller::Ask(HttpCall call) {
  std::promise<HttpReply> answered;
  Call(std::move(call), [&](HttpReply reply) { answered.set_value(std::move(reply)); });
  return answered.get_future().get();
}

Result<std::unique_ptr<HttpCaller>> HttpCaller::Start(const HttpCallerOptions& options) {
  ASSIGN_OR_RETURN(HttpUrl parts, ParseHttpUrl(options.url));
  auto caller = std::make_unique<BeastCaller>(std::move(parts), options.connections);
  RETURN_IF_ERROR(caller->Prepare(options));
  return caller;
}

}  // namespace fairlead
