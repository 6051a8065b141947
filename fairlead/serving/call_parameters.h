// Numbers beside a call's tensors, as clients of the Open Inference Protocol write them, made into
// what a call has. Any number is understood: one that is larger than we know means the largest.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "fairlead/base/time.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

// 0: none.
inline std::optional<Duration> TimeoutOf(std::uint64_t microseconds) {
  constexpr std::uint64_t kLongest = kLongestTimeout / std::chrono::microseconds{1};
  if (microseconds == 0) return std::nullopt;
  return std::chrono::microseconds{std::min(microseconds, kLongest)};
}

// 0: none.
inline std::optional<int> PriorityOf(std::uint64_t priority) {
  constexpr std::uint64_t kHighest = std::numeric_limits<int>::max();
  if (priority == 0) return std::nullopt;
  return static_cast<int>(std::min(priority, kHighest));
}

}  // namespace fairlead
