// Who asks, and what they were promised.
//
// The unit of promise is the agreement: one tenant and one network. A tenant is met when all its
// agreements are; its rate is its worst agreement's.
#pragma once

#include <optional>
#include <string>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/contract.h"
#include "fairlead/domain/promise_period.h"

namespace fairlead {

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

}  // namespace fairlead
