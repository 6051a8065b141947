// What operators ask of a server beside the protocol: everything below /fairlead/.
#pragma once

#include <string>
#include <vector>

#include "fairlead/serving/http/http_message.h"

namespace fairlead {

class Administration {
 public:
  virtual ~Administration() = default;

  // Of an operator. The path's parts, without "fairlead". Replies once, from any thread; must not
  // block.
  virtual void Handle(HttpRequest request, std::vector<std::string> path, HttpReplyTo reply) = 0;
};

}  // namespace fairlead
