// When requests come: four arrival processes, each with its own random stream.
//
// A process yields the gaps between the requests of one agreement, for ever; where a stream begins
// and ends is its owner's business (request_source.h). All four are given by their mean gap, so a
// load can be set without knowing which it is. Gaps are rounded to the nearest nanosecond.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"

namespace fairlead {

// Dealing a few values to many tenants by Zipf's law, with exact counts.
//
// The share of the value of rank r is proportional to 1 / r^exponent. Counts follow the shares by
// largest remainder, so that a population of a hundred is the same in every seed; only who gets
// which value is drawn.

// Divides `seats` in proportion to the weights (>= 0, not all 0): everyone gets the whole part of
// its quota, and what is left goes to the largest remainders, ties to the first.
std::vector<std::size_t> Apportion(std::span<const double> weights, std::size_t seats);

// One of the values for each of `count` receivers: the first value has rank 1. Exponent 0 deals
// equal numbers. The order is shuffled by the stream.
std::vector<double> DealByZipf(std::span<const double> values, std::size_t count, double exponent,
                               RandomStream& random);

// Independent gaps with a heavy tail: P(gap > x) = (scale / x)^shape from `scale` on, where
// scale = mean_gap * (shape - 1) / shape. At shape 2 and below the variance is infinite, and the
// mean of even a long run strays from mean_gap.
struct ParetoArrivals {
  Duration mean_gap{};
  double shape = 1.5;  // > 1
};

// Independent exponential gaps.
struct PoissonArrivals {
  Duration mean_gap{};
};

// A Poisson process whose rate switches between a busy and a quiet state; the time in each is
// exponential. It begins in either state with the share of time that the state has.
struct BurstyArrivals {
  Duration mean_gap{};     // over both states
  Duration mean_busy{};    // how long a busy spell lasts on average
  Duration mean_quiet{};   // and a quiet one
  double rate_ratio = 10;  // busy rate over quiet rate, >= 1; infinity: nothing comes when quiet
};

// The n-th request comes at (n + phase) * period + jitter, with one phase in [0, 1) for the
// stream and a new jitter in [0, jitter) for each request. Times, not gaps, carry the jitter, so
// it does not add up.
struct PeriodicArrivals {
  Duration period{};
  Duration jitter{};  // <= period, which keeps requests in order
};

using ArrivalOptions =
    std::variant<ParetoArrivals, PoissonArrivals, BurstyArrivals, PeriodicArrivals>;

// Says what is wrong with the options, if anything.
Status CheckArrivals(const ArrivalOptions& options);
// Requests per second in the long run.
double MeanRate(const ArrivalOptions& options);
// The same process with another mean rate (> 0): gaps, period and jitter stretch; the length of
// busy and quiet spells stays. The gap is at least a nanosecond.
ArrivalOptions AtRate(ArrivalOptions options, double requests_per_second);

class ArrivalProcess {
 public:
  virtual ~ArrivalProcess() = default;
  // The time from the request before (at first from the beginning of the stream) to the next one;
  // between 0 and kLongestDuration.
  virtual Duration NextGap() = 0;
};

// The options must pass CheckArrivals.
std::unique_ptr<ArrivalProcess> MakeArrivals(const ArrivalOptions& options, RandomStream random);

// The name of an agreement's random stream: "arrivals/tenant=t/network=n" for the use "arrivals".
std::string StreamName(std::string_view use, std::string_view tenant, std::string_view network);

}  // namespace fairlead
