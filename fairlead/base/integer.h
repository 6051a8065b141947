// Arithmetic on whole numbers that the language leaves out.
#pragma once

#include <cstdint>

namespace fairlead {

// a / b, rounded up; a >= 0, b > 0.
constexpr std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Precondition: n > 0. Takes as many steps as the square root of n.
constexpr bool IsPrime(std::int64_t n) {
  for (std::int64_t divisor = 2; divisor * divisor <= n; ++divisor) {
    if (n % divisor == 0) return false;
  }
  return n > 1;
}

}  // namespace fairlead
