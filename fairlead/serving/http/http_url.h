// The address of a server.
#pragma once

#include <string>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

struct HttpUrl {
  bool tls = false;
  std::string name;
  std::string port;
  std::string host;  // as the header has it
};

// http://host:port, https://[::1]; no path.
Result<HttpUrl> ParseHttpUrl(std::string_view url);

}  // namespace fairlead
