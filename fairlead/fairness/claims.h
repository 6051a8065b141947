// What a count of hits and failures proves about a hit rate, with its confidence.
//
// The test is the exact binomial one, as in the early stopping of MLPerf: a rate of at least
// `target` is established once so few failures would be seen with probability at most
// 1 - confidence if the true rate were the target itself. For 90 % at 99 % confidence that takes
// 44 requests without a failure, 64 with one. Assumes independent requests; the hits of one run
// are not quite that, so a claim says how much data there is, not that the system is stationary.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fairlead {

// Between which rates the truth lies, by so many hits among so many requests.
struct RateInterval {
  double low = 0;
  double high = 1;
};

// Clopper and Pearson's: exact, in that it covers the true rate with at least this confidence,
// however few requests there were; from 0 to 1 without any. Assumes independent requests, as
// fairness/claims.h does, and says as little about what is not stationary.
RateInterval IntervalOfRate(std::int64_t hits, std::int64_t requests, double confidence = 0.95);

inline constexpr double kClaimConfidence = 0.99;

enum class Claim : std::uint8_t {
  kHolds,   // a rate of at least the target is established
  kOpen,    // neither
  kBroken,  // a rate below the target is established
};

constexpr std::string_view ToString(Claim claim) {
  switch (claim) {
    case Claim::kHolds: return "holds";
    case Claim::kOpen: return "open";
    case Claim::kBroken: return "broken";
  }
  return "?";
}

// P(X <= most) and P(X >= least) for X binomial with `trials` and `probability` in [0, 1].
double BinomialAtMost(std::int64_t trials, double probability, std::int64_t most);
double BinomialAtLeast(std::int64_t trials, double probability, std::int64_t least);

// The fewest requests among which `failures` failures establish a rate of at least `target`:
// the smallest n with P(Binomial(n, 1 - target) <= failures) <= 1 - confidence. None when no
// number does: for a target of 1, or beyond 10^15 requests. 0 <= target <= 1, failures >= 0,
// 0 < confidence < 1.
std::optional<std::int64_t> RequestsNeeded(double target, std::int64_t failures,
                                           double confidence = kClaimConfidence);

// Judges counts against a target. A target of 0 holds without any request.
Claim JudgeClaim(std::int64_t hits, std::int64_t failures, double target,
                 double confidence = kClaimConfidence);

}  // namespace fairlead
