#include "fairlead/base/stopwatch.h"

#include <chrono>

namespace fairlead {
namespace {

std::int64_t RealNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Stopwatch::Stopwatch() : start_(RealNanoseconds()) {}

std::int64_t Stopwatch::ElapsedNanoseconds() const { return RealNanoseconds() - start_; }

}  // namespace fairlead
