// How much of what a tenant sends a promise is about: a token bucket for each agreement.
//
// It fills at the contract's rate and holds `burst` tokens. A request that finds one when it
// arrives is covered; promises count covered requests only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fairlead {

// What becomes of requests that are not covered.
enum class Over : std::uint8_t {
  kServe,   // served from what is left
  kRefuse,  // rejected as they arrive
};

// By Over.
inline constexpr std::array<std::string_view, 2> kOverNames = {"serve", "refuse"};

constexpr std::string_view ToString(Over over) {
  return kOverNames[static_cast<std::size_t>(over)];
}

struct Contract {
  static constexpr std::int64_t kFastest = 1'000'000'000'000'000;  // 10^9 a second
  static constexpr std::int64_t kLargestBurst = 1'000'000'000;

  // Requests per million seconds: a whole number, so that what is covered is exact. 20/s is 20
  // million.
  std::int64_t rate = 1;   // from 1 to kFastest
  std::int64_t burst = 1;  // from 1 to kLargestBurst
  Over over = Over::kServe;

  friend bool operator==(const Contract&, const Contract&) = default;
};

}  // namespace fairlead
