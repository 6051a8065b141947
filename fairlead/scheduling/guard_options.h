// What a guard (guard.h) goes by.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fairlead/base/time.h"

namespace fairlead {

// What counts as the time of a decision in a simulation; a live world has the real time only.
enum class DecisionClock : std::uint8_t {
  kCharged,  // what the scenario charges for it, so that equal runs stay equal
  kReal,     // or what it really takes, if that is longer
};

// By DecisionClock.
inline constexpr std::array<std::string_view, 2> kDecisionClockNames = {"charged", "real"};

// All times are more than nothing.
struct GuardOptions {
  static constexpr int kMostStrikes = 1000;
  static constexpr Duration kLongestTime = std::chrono::hours{24 * 365};

  std::string fallback;  // name and options
  Duration decision = std::chrono::milliseconds{1};
  Duration idle = std::chrono::milliseconds{10};
  int strikes = 3;
  Duration within = std::chrono::seconds{10};
  std::optional<Duration> back = std::chrono::seconds{10};  // none: never
  DecisionClock clock = DecisionClock::kCharged;
};

}  // namespace fairlead
