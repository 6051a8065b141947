// A client of a server, for load: what `fairlead load` knows of the wire.
//
// Calls are sent when they are handed in, however slowly others are answered; replies come from a
// thread of the client's, and must not block.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"

namespace fairlead {

// Who calls, and what.
struct LoadTarget {
  std::string tenant;
  std::string key;  // empty: the tenant says its name, which is enough for a laptop
  std::string network;
};

// How a call ended: "ok", the server's word for what was wrong, or one of these.
inline constexpr std::string_view kOkReply = "ok";
inline constexpr std::string_view kNoReply = "no-reply";  // the connection failed, or nothing came

using LoadReply = std::function<void(std::string_view result)>;

struct LoadCall {
  std::size_t target = 0;  // as Prepare numbered it
  Duration timeout{};      // that the server is told
  int priority = 1;
  Duration limit{};  // when nothing has come by then, there is no reply
};

class LoadClient {
 public:
  virtual ~LoadClient() = default;

  // Asks the server about the network, and makes what every call of it sends. Waits for the server.
  // Before the first call.
  virtual Result<std::size_t> Prepare(const LoadTarget& target) = 0;
  // The reply is called once.
  virtual void Call(const LoadCall& call, LoadReply reply) = 0;
  // So many calls were under way at once, each on a connection of its own.
  virtual std::size_t most_connections() const = 0;
};

}  // namespace fairlead
