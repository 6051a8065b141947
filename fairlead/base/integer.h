// Arithmetic on whole numbers that the language leaves out.
#pragma once

#include <cstdint>

namespace fairlead {

// a / b, rounded up; a >= 0, b > 0.
constexpr std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace fairlead
