#include "fairlead/serving/http/testing/http_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "fairlead/base/check.h"

namespace fairlead {

HttpClient::HttpClient(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  CHECK(connect(socket_, where, sizeof address) == 0);
}

HttpClient::~HttpClient() { HangUp(); }

void HttpClient::HangUp() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

void HttpClient::Send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server has hung up; the reply says why
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool HttpClient::Fill() {
  char bytes[65536];
  const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
  if (size > 0) received_.append(bytes, static_cast<std::size_t>(size));
  return size > 0;
}

HttpReply HttpClient::Read() {
  HttpReply reply{.status = 0};
  while (received_.find("\r\n\r\n") == std::string::npos) {
    if (!Fill()) return reply;
  }
  const std::string head = received_.substr(0, received_.find("\r\n\r\n") + 2);
  received_.erase(0, head.size() + 2);
  reply.status = std::atoi(head.c_str() + 9);
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::size_t end = head.find("\r\n", at);
    const std::string line = head.substr(at, end - at);
    reply.headers.push_back({line.substr(0, line.find(": ")), line.substr(line.find(": ") + 2)});
    at = end + 2;
  }
  const auto length =
      static_cast<std::size_t>(std::atoll(HeaderOf(reply, "Content-Length").c_str()));
  while (received_.size() < length) {
    if (!Fill()) return {.status = 0};
  }
  reply.content_type = HeaderOf(reply, "Content-Type");
  reply.body = received_.substr(0, length);
  received_.erase(0, length);
  return reply;
}

HttpReply HttpClient::Ask(std::string_view method, std::string_view target, std::string_view body,
                          std::string_view headers) {
  Send(fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}\r\n{}", method,
                   target, body.size(), headers, body));
  return Read();
}

bool HttpClient::WasHungUp() {
  while (Fill()) {
  }
  return received_.empty();
}

std::string HeaderOf(const HttpReply& reply, std::string_view name) {
  HttpRequest as_request;
  as_request.headers = reply.headers;
  return std::string(as_request.Header(name));
}

}  // namespace fairlead
