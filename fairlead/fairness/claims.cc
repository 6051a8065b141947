#include "fairlead/fairness/claims.h"

#include "fairlead/base/check.h"
#include "fairlead/base/statistics.h"

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

double BinomialAtMost(std::int64_t trials, double probability, std::int64_t most) {
  CHECK(trials >= 0 && probability >= 0 && probability <= 1);
  if (most < 0) return 0;
  if (most >= trials) return 1;
  return RegularizedIncompleteBeta(static_cast<double>(trials - most),
                                   static_cast<double>(most + 1), 1 - probability, probability);
}

double BinomialAtLeast(std::int64_t trials, double probability, std::int64_t least) {
  CHECK(trials >= 0 && probability >= 0 && probability <= 1);
  if (least <= 0) return 1;
  if (least > trials) return 0;
  return RegularizedIncompleteBeta(static_cast<double>(least),
                                   static_cast<double>(trials - least + 1), probability,
                                   1 - probability);
}

std::optional<std::int64_t> RequestsNeeded(double target, std::int64_t failures,
                                           double confidence) {
  constexpr std::int64_t kMostRequests = 1'000'000'000'000'000;
  CHECK(target >= 0 && target <= 1 && failures >= 0 && confidence > 0 && confidence < 1);
  if (target == 1) return std::nullopt;
  const auto enough = [&](std::int64_t requests) {
    return BinomialAtMost(requests, 1 - target, failures) <= 1 - confidence;
  };
  std::int64_t too_few = failures;  // as many requests as failures prove nothing
  std::int64_t needed = failures + 1;
  while (!enough(needed)) {
    if (needed > kMostRequests) return std::nullopt;
    too_few = needed;
    needed *= 2;
  }
  while (needed - too_few > 1) {
    const std::int64_t middle = too_few + (needed - too_few) / 2;
    (enough(middle) ? needed : too_few) = middle;
  }
  return needed;
}

Claim JudgeClaim(std::int64_t hits, std::int64_t failures, double target, double confidence) {
  CHECK(hits >= 0 && failures >= 0 && target >= 0 && target <= 1);
  if (target == 0) return Claim::kHolds;
  const std::int64_t requests = hits + failures;
  if (BinomialAtMost(requests, 1 - target, failures) <= 1 - confidence) return Claim::kHolds;
  if (BinomialAtLeast(requests, 1 - target, failures) <= 1 - confidence) return Claim::kBroken;
  return Claim::kOpen;
}

}  // namespace fairlead
