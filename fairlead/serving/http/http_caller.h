// Calls a server over HTTP/1.1, in the clear or over TLS, many at a time.
//
// A call gets a connection that is idle, or a new one: it never waits for another's answer, unless
// as many are under way as there may be connections. Connections are kept for the next call. One
// thread does it all; Boost.Beast parses, and is not seen outside of http_caller.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/serving/http/http_message.h"

namespace fairlead {

struct HttpCall {
  std::string method = "GET";
  std::string target;
  std::vector<HttpHeader> headers;
  std::string body;
  SharedBytes tail;  // follows the body
  Duration limit = std::chrono::seconds{60};
};

struct HttpCallerOptions {
  std::string url;          // http://host:port or https://host:port
  std::string authorities;  // a file in PEM form that vouches for the server; empty: the system's
  int connections = 1024;
};

// Called once, by the caller's thread; must not block. Status 0: there is no reply, and the body
// says why.
using HttpCalled = std::function<void(HttpReply)>;

class HttpCaller {
 public:
  // Finds the address; nothing is connected yet.
  static Result<std::unique_ptr<HttpCaller>> Start(const HttpCallerOptions& options);
  virtual ~HttpCaller() = default;  // what is under way gets no reply

  // From any thread.
  virtual void Call(HttpCall call, HttpCalled called) = 0;
  // Waits for the reply. Not from a reply.
  HttpReply Ask(HttpCall call);

  virtual std::size_t most_connections() const = 0;
};

}  // namespace fairlead
