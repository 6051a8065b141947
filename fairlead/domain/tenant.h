// Who asks, and what they were promised.
//
// The unit of promise is the agreement: one tenant and one network. A tenant is met when all its
// agreements are; its rate is its worst agreement's.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"

namespace fairlead {

// For how long a share is promised, again and again.
enum class PeriodKind : std::uint8_t {
  kTumbling,  // one after the other, from time 0 on
  kSliding,   // any time of that length, looked at a twelfth of it after the other
};

// By PeriodKind.
inline constexpr std::array<std::string_view, 2> kPeriodKindNames = {"tumbling", "sliding"};

// Of a sliding period.
inline constexpr int kSlices = 12;
inline constexpr Duration kShortestSliding{kSlices};

// How much of what a tenant sends a promise is about: a token bucket for each agreement.
//
// It fills at the contract's rate and holds `burst` tokens. A request that finds one when it
// arrives is covered; promises count covered requests only.

// What becomes of requests that are not covered.
enum class Over : std::uint8_t {
  kServe,   // served from what is left
  kRefuse,  // rejected as they arrive
};

// By Over.
inline constexpr std::array<std::string_view, 2> kOverNames = {"serve", "refuse"};

constexpr std::string_view ToString(Over over) {
  return kOverNames[static_cast<std::size_t>(over)];
}

struct Contract {
  static constexpr std::int64_t kFastest = 1'000'000'000'000'000;  // 10^9 a second
  static constexpr std::int64_t kLargestBurst = 1'000'000'000;

  // Requests per million seconds: a whole number, so that what is covered is exact. 20/s is 20
  // million.
  std::int64_t rate = 1;   // from 1 to kFastest
  std::int64_t burst = 1;  // from 1 to kLargestBurst
  Over over = Over::kServe;

  friend bool operator==(const Contract&, const Contract&) = default;
};

struct Tenant {
  std::string name;
  double weight = 1;
};

// What floors may sum to, up to rounding.
inline constexpr double kWholeMachine = 1 + 1e-9;

struct ServiceAgreement {
  TenantId tenant;
  NetworkId network;
  // The deadline of a request counts from its arrival; a request may carry another level of it.
  Duration deadline{};
  // The promised share of requests inside their deadline; none: best effort.
  std::optional<double> target;
  // For how long that share is promised, again and again; none: for as long as it lasts.
  std::optional<Duration> period{};
  PeriodKind period_kind = PeriodKind::kTumbling;  // sliding: kShortestSliding at least
  // Of any `window` consecutive requests at most `max_misses` may fail; window 0: no such promise.
  int window = 0;
  int max_misses = 0;
  double price = 0;    // earned by a hit
  double penalty = 0;  // paid for anything else
  // The share of the machine that best effort has, as long as it asks, whatever was promised to
  // others; 0: nothing of the kind.
  double floor = 0;
  // How many requests this is about; none: all of them.
  std::optional<Contract> contract{};

  // Best effort otherwise.
  bool IsPromised() const { return target.has_value() || window > 0; }
  // What policies that need a target are given: best effort asks for everything.
  double TargetRate() const { return target.value_or(1.0); }
};

// The share of hits that an agreement promises, one way or the other.

// A window promise is one too; 0 for best effort.
inline double PromisedShare(const ServiceAgreement& agreement) {
  const double by_window =
      agreement.window > 0 ? 1 - static_cast<double>(agreement.max_misses) / agreement.window : 0;
  return std::max(agreement.target.value_or(0), by_window);
}

}  // namespace fairlead
