// Beginnings of refusals that other people's clients look for: Triton's own examples tell by them
// whether an error is the one that they meant to make. What follows is ours.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace fairlead {

inline std::string UnknownNetwork(std::string_view network) {
  return fmt::format("Request for unknown model: there is no network '{}'", network);
}

inline std::string FailedToLoad(std::string_view network, std::string_view why) {
  return fmt::format("failed to load '{}': {}", network, why);
}

}  // namespace fairlead
