#include "fairlead/serving/http/http_url.h"

#include "fairlead/base/units.h"

namespace fairlead {

Result<HttpUrl> ParseHttpUrl(std::string_view url) {
  HttpUrl parts;
  std::string_view rest = url;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.starts_with("https://")) {
    parts.tls = true;
    rest.remove_prefix(8);
  } else {
    return Fail("'{}' is no address of a server; expected for example http://127.0.0.1:8000", url);
  }
  while (rest.ends_with('/')) rest.remove_suffix(1);
  parts.host = rest;
  std::size_t colon = rest.rfind(':');
  if (const std::size_t bracket = rest.find(']'); bracket != std::string_view::npos) {
    if (colon < bracket) colon = std::string_view::npos;
  }
  parts.name = rest.substr(0, colon);
  parts.port = colon == std::string_view::npos ? parts.tls ? "443" : "80"
                                               : std::string(rest.substr(colon + 1));
  if (parts.name.starts_with('[') && parts.name.ends_with(']'))
    parts.name = parts.name.substr(1, parts.name.size() - 2);
  const auto port = ParseInteger(parts.port);
  if (parts.name.empty() || rest.find_first_of("/?#@ ") != std::string_view::npos ||
      !port.has_value() || *port < 1 || *port > 65535)
    return Fail("'{}' is no address of a server; expected for example http://127.0.0.1:8000", url);
  return parts;
}

}  // namespace fairlead
