// For how long a share is promised, again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fairlead/base/time.h"

namespace fairlead {

enum class PeriodKind : std::uint8_t {
  kTumbling,  // one after the other, from time 0 on
  kSliding,   // any time of that length, looked at a twelfth of it after the other
};

// By PeriodKind.
inline constexpr std::array<std::string_view, 2> kPeriodKindNames = {"tumbling", "sliding"};

// Of a sliding period.
inline constexpr int kSlices = 12;
inline constexpr Duration kShortestSliding{kSlices};

}  // namespace fairlead
