#include "benchmarks/beast_echo.h"

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;

// As Beast's own examples have it, without what a server needs beside that.
class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(Tcp::socket socket) : stream_(std::move(socket)) {}

  void Read() {
    request_ = {};
    stream_.expires_after(std::chrono::seconds(30));
    http::async_read(stream_, buffer_, request_,
                     [self = shared_from_this()](beast::error_code code, std::size_t) {
                       if (!code) self->Write();
                     });
  }

 private:
  void Write() {
    response_ = http::response<http::string_body>(http::status::ok, request_.version());
    response_.set(http::field::content_type, "application/json");
    response_.keep_alive(request_.keep_alive());
    response_.body() = std::move(request_.body());
    response_.prepare_payload();
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code code, std::size_t) {
                        if (!code) self->Read();
                      });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

class Echo final : public BeastEcho {
 public:
  explicit Echo(int threads)
      : context_(threads), acceptor_(context_, {asio::ip::address_v4::loopback(), 0}) {
    Accept();
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { context_.run(); });
  }
  ~Echo() override {
    context_.stop();
    for (std::thread& thread : threads_) thread.join();
  }
  int port() const override { return acceptor_.local_endpoint().port(); }

 private:
  void Accept() {
    acceptor_.async_accept(asio::make_strand(context_),
                           [this](beast::error_code code, Tcp::socket socket) {
                             if (code) return;
                             socket.set_option(Tcp::no_delay(true));
                             std::make_shared<Session>(std::move(socket))->Read();
                             Accept();
                           });
  }

  asio::io_context context_;
  Tcp::acceptor acceptor_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<BeastEcho> BeastEcho::Start(int threads) { return std::make_unique<Echo>(threads); }

}  // namespace fairlead
