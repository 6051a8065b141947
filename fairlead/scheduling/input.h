// What reaches the engine from outside: everything that a recording must hold for a run to be
// replayed. The engine's own consequences (starts, ends of jobs) are not inputs.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/request.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/fairness/agreement_history.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/job.h"

namespace fairlead {

// What a guard (guard.h) goes by.

// What counts as the time of a decision in a simulation; a live world has the real time only.
enum class DecisionClock : std::uint8_t {
  kCharged,  // what the scenario charges for it, so that equal runs stay equal
  kReal,     // or what it really takes, if that is longer
};

// By DecisionClock.
inline constexpr std::array<std::string_view, 2> kDecisionClockNames = {"charged", "real"};

// All times are more than nothing.
struct GuardOptions {
  static constexpr int kMostStrikes = 1000;
  static constexpr Duration kLongestTime = std::chrono::hours{24 * 365};

  std::string fallback;  // name and options
  Duration decision = std::chrono::milliseconds{1};
  Duration idle = std::chrono::milliseconds{10};
  int strikes = 3;
  Duration within = std::chrono::seconds{10};
  std::optional<Duration> back = std::chrono::seconds{10};  // none: never
  DecisionClock clock = DecisionClock::kCharged;
};

// A network that comes while a world runs: its segments, one after the other, and what is believed
// of them. Tensors, layers and weights are the executor's; the engine knows no more than this.

// Of a segment on a kind, alone.
struct NewCost {
  KindId kind;
  int units = 1;
  int batch = 1;
  Duration latency{};
  std::int64_t dram_bytes = 0;
  std::int64_t energy_pj = 0;
};

struct NewSegment {
  std::vector<NewCost> costs{};  // each configuration of each kind once; one at least
  std::int64_t alive_bytes = 0;  // what those after it need of it, for one job
};

struct NewNetwork {
  static constexpr std::int64_t kMostSegments = 100'000;
  static constexpr std::int64_t kMostCosts = 1'000;  // of a segment
  static constexpr int kLargestBatch = 1 << 16;
  // Of a segment: sums over a network must not overflow.
  static constexpr Duration kLongest = std::chrono::seconds{1000};
  static constexpr std::int64_t kMostBytes = 1'000'000'000'000;

  std::string name;
  std::vector<NewSegment> segments{};
};

// A table that has the network too, behind all others, which are those that it has.
CostTable WithNetwork(const CostTable& table, std::span<const NetworkGraph> all,
                      const NewNetwork& network);

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
