// Between which rates the truth lies, by so many hits among so many requests.
#pragma once

#include <cstdint>

namespace fairlead {

struct RateInterval {
  double low = 0;
  double high = 1;
};

// Clopper and Pearson's: exact, in that it covers the true rate with at least this confidence,
// however few requests there were; from 0 to 1 without any. Assumes independent requests, as
// fairness/claims.h does, and says as little about what is not stationary.
RateInterval IntervalOfRate(std::int64_t hits, std::int64_t requests, double confidence = 0.95);

}  // namespace fairlead
