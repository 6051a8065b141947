// Requests and replies of HTTP as plain values: what is between the sockets and those who answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/serving/doorkeeper.h"
#include "fairlead/serving/tensor.h"

namespace fairlead {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // path and query, as they were sent
  std::vector<HttpHeader> headers;
  std::string body;
  std::optional<Instant> received{};  // its first byte, where the server has a clock
  std::optional<Caller> caller{};     // once it is known

  // The first of this name, whatever its case; empty if there is none.
  std::string_view Header(std::string_view name) const;
  // The target without its query.
  std::string_view Path() const;
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<HttpHeader> headers;
  std::string body;
  std::vector<SharedBytes> tail;  // follows the body
};

// A time as HTTP writes it, "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate(std::int64_t unix_seconds);

// Status line and headers, up to the empty line; without a date where that is empty. A client of
// HTTP/1.0 that wants to go on must be told that it may.
enum class AfterReply : std::uint8_t { kKeepAlive, kKeepAliveAloud, kClose };
std::string HttpHead(const HttpReply& reply, AfterReply after, std::string_view date = {});

// {"error": message}, with a word for programs in a header.
inline constexpr std::string_view kReasonHeader = "Fairlead-Reason";
HttpReply HttpError(int status, std::string_view reason, std::string_view message);

// A text as JSON, quotes included. What is not UTF-8 becomes question marks.
std::string JsonText(std::string_view text);

// Makes a reply, on the thread of the connection: whoever has the news need not write it out.
using HttpMaker = std::function<HttpReply()>;
// One that is made.
HttpMaker Made(HttpReply reply);

// Where the reply to one request goes. The first one counts; from any thread. Nothing happens when
// the client has gone.
using HttpReplyTo = std::function<void(HttpMaker)>;

// What a request may bring, decided by its header.
struct HttpAdmission {
  std::optional<HttpReply> refusal{};   // the answer, whatever its body is
  std::int64_t body = INT64_MAX;        // bytes; the server's limit where that is smaller
  std::optional<std::string> tenant{};  // whose memory it takes; none: it may take none
  bool reserved = false;                // served even where there is no room for others
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // Called at the end of a request's header, before any of its body is kept. As Handle otherwise.
  virtual HttpAdmission Admit(HttpRequest& /*head*/) { return {.tenant = std::string()}; }

  // Called by several threads at a time; must not block. Returns what is to be done when the client
  // goes away before its reply has come; may be empty.
  virtual std::function<void()> Handle(HttpRequest request, HttpReplyTo reply) = 0;
};

}  // namespace fairlead
