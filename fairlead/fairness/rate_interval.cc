#include "fairlead/fairness/rate_interval.h"

#include "fairlead/base/check.h"
#include "fairlead/fairness/claims.h"

namespace fairlead {
namespace {

// The rate at which `above` turns true, which it stays from there on.
template <typename Above>
double Turn(const Above& above) {
  constexpr int kHalvings = 50;
  double low = 0;
  double high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (above(middle) ? high : low) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

RateInterval IntervalOfRate(std::int64_t hits, std::int64_t requests, double confidence) {
  CHECK(hits >= 0 && hits <= requests && confidence > 0 && confidence < 1);
  const double tail = (1 - confidence) / 2;
  RateInterval interval;
  if (hits > 0)
    interval.low = Turn([&](double rate) { return BinomialAtLeast(requests, rate, hits) > tail; });
  if (hits < requests)
    interval.high = Turn([&](double rate) { return BinomialAtMost(requests, rate, hits) < tail; });
  return interval;
}

}  // namespace fairlead
