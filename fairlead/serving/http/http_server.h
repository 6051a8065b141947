// The front door: HTTP/1.1 on a port, with keep-alive and pipelining, in the clear or over TLS.
//
// Each of a few threads has the connections that were dealt to it, and waits for none of them: who
// sends slowly, or does not read, holds up nobody and is cut off when its time is up. Replies may
// come from any thread, in any order; a connection has one request at a time. The client of a
// request that is being answered is looked after: who hangs up is noticed within a tenth of a
// second.
//
// Boost.Beast parses; nothing of it is seen outside of http_server.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/serving/http/http_message.h"
#include "fairlead/serving/memory_budget.h"
#include "fairlead/serving/stall_watch.h"
#include "fairlead/serving/tls_files.h"

namespace fairlead {

struct HttpLimits {
  std::int64_t body = std::int64_t{64} << 20;  // bytes
  int header = 16 << 10;                       // bytes
  int connections = 4096;  // of these a sixteenth is kept for operators and health checks
  int per_address = 1024;
  Duration header_time =
      std::chrono::seconds{10};  // from its first byte; also for TLS to be set up
  Duration body_time = std::chrono::seconds{60};
  Duration idle_time = std::chrono::seconds{75};  // between requests
  Duration write_time = std::chrono::seconds{60};
};

struct HttpOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: any that is free
  int threads = 2;
  HttpLimits limits;
  std::optional<TlsFiles> tls;
  MemoryBudget* memory = nullptr;    // not owned; none: one of its own
  const StallWatch* time = nullptr;  // not owned; none: requests do not say when they came
};

class HttpServer {
 public:
  // Listens when it returns. The handler must outlive it.
  static Result<std::unique_ptr<HttpServer>> Start(const HttpOptions& options,
                                                   HttpHandler& handler);
  virtual ~HttpServer() = default;  // closes at once

  virtual int port() const = 0;
  // Takes no more connections and no more requests; what has been asked is answered, within
  // `grace`. Once; returns when all threads have ended.
  virtual void Close(Duration grace) = 0;
};

}  // namespace fairlead
