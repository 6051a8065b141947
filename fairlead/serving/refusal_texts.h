// Refusals in words, the same over HTTP and gRPC. Some begin as other people's clients expect:
// Triton's own examples tell by that whether an error is the one that they meant to make.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace fairlead {

inline std::string UnknownNetwork(std::string_view network) {
  return fmt::format("Request for unknown model: there is no network '{}'", network);
}

inline std::string UnknownVersion(std::string_view network, std::string_view version) {
  return fmt::format("the network '{}' has no version '{}'; it has '1'", network, version);
}

inline std::string NotReady(std::string_view network, std::string_view why) {
  return fmt::format("the network '{}' is not ready: {}", network, why);
}

inline std::string FailedToLoad(std::string_view network, std::string_view why) {
  return fmt::format("failed to load '{}': {}", network, why);
}

}  // namespace fairlead
