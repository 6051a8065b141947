// The time of day as people write it: 2026-01-31T12:00:00.123Z, always UTC. Nanoseconds since 1970
// come from whoever may read a clock; nothing is scheduled by them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

// From 1970 to 2261, to the millisecond.
std::string FormatUtc(std::int64_t nanoseconds);
// A date, and behind a T or a space hours and minutes, seconds, up to nine digits of them and a Z:
// 2026-01-31, 2026-01-31 12:00, 2026-01-31T12:00:00.123Z.
Result<std::int64_t> ParseUtc(std::string_view text);

}  // namespace fairlead
