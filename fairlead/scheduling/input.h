// What reaches the engine from outside: everything that a recording must hold for a run to be
// replayed. The engine's own consequences (starts, ends of jobs) are not inputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "fairlead/base/id.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/request.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/fairness/agreement_history.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/guard_options.h"
#include "fairlead/scheduling/job.h"
#include "fairlead/scheduling/new_network.h"

namespace fairlead {

struct Arrival {
  Request request;
};
struct Cancellation {
  JobHandle job;
};
// What is past its deadline is given up, where late jobs are dropped, without waiting for the next
// decision.
struct Expiry {};
struct SegmentFinish {
  AssignmentId assignment;
};
struct SegmentFailure {
  AssignmentId assignment;
};
struct AcceleratorLoss {
  AcceleratorId accelerator;
};
struct AcceleratorReturn {
  AcceleratorId accelerator;
};
// New tenants and agreements get the next free id.
struct TenantJoin {
  Tenant tenant;
};
struct TenantLeave {
  TenantId tenant;  // all its agreements close
};
struct AgreementStart {
  ServiceAgreement agreement;
};
struct AgreementChange {
  AgreementId id;
  ServiceAgreement agreement;  // same tenant and network
};
struct AgreementEnd {
  AgreementId id;
};
// An agreement that has had no request goes on where its books were closed.
struct AgreementContinue {
  AgreementId id;
  AgreementHistory history;
};
// A network is gone from the accelerators: its jobs end, and none comes until it is there again.
struct NetworkUnload {
  NetworkId network;
};
struct NetworkLoad {
  NetworkId network;
};
// A network that was not there before gets the next free id. The policy is made anew: it may have
// built upon those that were there.
struct NetworkAdd {
  NewNetwork network;
};
// A segment is believed to take another time alone.
struct BeliefChange {
  NetworkId network;
  SegmentId segment;
  KindId kind;
  int units = 1;
  int batch = 1;
  Duration latency{};
};
inline CostRow RowOf(const BeliefChange& change) {
  return {.network = change.network,
          .segment = change.segment,
          .kind = change.kind,
          .configuration = {change.units, change.batch},
          .cost = {.latency = change.latency}};
}
struct PolicyChange {
  std::string policy;  // name and options
};
// Why a guard (guard.h) complains of the policy.
enum class StrikeCause : std::uint8_t {
  kWrongPlan,
  kSlowDecision,
  kIdleMachine,  // nothing was started although something could be
};

// By StrikeCause.
inline constexpr std::array<std::string_view, 3> kStrikeNames = {"wrong-plan", "slow-decision",
                                                                 "idle-machine"};

constexpr std::string_view ToString(StrikeCause cause) {
  return kStrikeNames[static_cast<std::size_t>(cause)];
}

// What a guard does. It stands outside of the engine, since how long a decision took is nothing
// that could be computed again.
struct GuardStrike {
  StrikeCause cause{};
};
struct GuardFallback {
  std::string policy;  // name and options; it takes over
};
struct GuardReturn {
  std::string policy;  // that was asked for, made anew
};
// Somebody wishes the policy to be guarded, or by other rules than before.
struct GuardRules {
  GuardOptions options;
};
using GuardAct = std::variant<GuardStrike, GuardFallback, GuardReturn>;
// The charge of a decision takes an accelerator away for a while, and gives it back.
struct Reservation {
  AcceleratorId accelerator;
  Duration expected;
};
struct Release {
  AcceleratorId accelerator;
};

using Input =
    std::variant<Arrival, Cancellation, Expiry, SegmentFinish, SegmentFailure, AcceleratorLoss,
                 AcceleratorReturn, TenantJoin, TenantLeave, AgreementStart, AgreementChange,
                 AgreementEnd, AgreementContinue, NetworkUnload, NetworkLoad, NetworkAdd,
                 BeliefChange, PolicyChange, GuardRules, GuardStrike, GuardFallback, GuardReturn,
                 Reservation, Release>;

}  // namespace fairlead
