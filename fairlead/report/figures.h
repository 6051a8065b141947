// Every figure of one run, computed once, for all forms of output.
//
// Requests that arrived during the warm-up are left out of everything that says how requests
// fared. What says how the machine fared (stp, energy, makespan, busy, bandwidth, segments,
// decisions) covers the whole run, since there the two cannot be told apart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/fairness/claims.h"
#include "fairlead/fairness/ledger.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/run_setup.h"
#include "fairlead/workload/fluid_bound.h"

namespace fairlead {

// What was promised and what was received, in figures: agreement by agreement, and how evenly
// across all of them and across tenants. Only requests that arrived after the warm-up count, and
// towards promises only those that a contract covers.

// What a policy gave up of a promise.
struct SacrificeFigures {
  std::int64_t times = 0;
  double share = 0;      // of the run, from time 0 to its end
  OutcomeCounts counts;  // of covered requests that ended meanwhile
};

// Requests that did not hit, by why: those that finished late, and those given up, by reason. Of
// this run, uncovered ones too.
struct LossFigures {
  std::int64_t late = 0;
  std::array<std::int64_t, kReasonNames.size()> given_up{};  // by Reason

  LossFigures& operator+=(const LossFigures& other);
};

struct AgreementFigures {
  std::string tenant;
  std::string network;
  std::optional<double> target;  // none: best effort, or a window alone
  int window = 0;                // of so many requests at most max_misses may fail; 0: no promise
  int max_misses = 0;
  double floor = 0;          // of the machine, that best effort is to have
  double machine_share = 0;  // that its finished requests took, each segment where it is fastest
  OutcomeCounts counts;
  OutcomeCounts uncovered;  // by the contract; in nothing that follows
  double hit_rate = 0;      // without outcomes the target, 1 for best effort
  double worst_window = 0;  // the ledger's
  std::int64_t window_violations = 0;
  std::optional<PeriodVerdicts> periods;    // where the target is promised for each
  SacrificeFigures sacrificed;              // by the policy
  SacrificeFigures sacrificed_by_fallback;  // in its place, under a guard
  double revenue = 0;  // the price of each hit, minus the penalty of each covered failure
  LossFigures lost;
  std::optional<Percentiles> latency;  // from arrival to finish, of finished requests of this run
  // What the counts prove about the target (kClaimConfidence), and how many requests it takes to
  // establish it with as many failures as there are; none where no number of requests does.
  std::optional<Claim> claim;
  std::optional<std::int64_t> requests_needed;

  // All that was promised: the share (in every period), and every window. None for best effort.
  std::optional<bool> Kept() const;
};

// Of a run that ended at this instant.
std::vector<AgreementFigures> DescribeAgreements(const FairnessLedger& ledger,
                                                 std::span<const Tenant> tenants,
                                                 std::span<const NetworkGraph> networks,
                                                 Instant end);

// How evenly hit rates are spread. A target that is promised for each period is met if all of them
// kept it, and what is missing is missing in the worst; a promise of windows if none was violated.
// Those without a promise have a rate, but count neither as met nor as unmet.
struct RateFigures {
  Distribution rates;
  std::optional<double> met_share;       // of those with a promise; none if nobody has one
  std::optional<double> mean_shortfall;  // target minus rate, over those below; 0 if nobody is,
                                         // none if nobody has a target
  std::optional<double> worst_window;    // the worst of all; none if there is nobody
};

RateFigures RatesOfAgreements(const FairnessLedger& ledger);
RateFigures RatesOf(std::span<const AgreementFigures* const> agreements);
// A tenant's rate, worst window and shortfall are those of its agreement that fares worst in each;
// it is met when all its agreements are. Tenants without an agreement are left out.
RateFigures RatesOfTenants(const FairnessLedger& ledger);

// Whether kinds of accelerators matter: what share of the work is clearly faster on which, and how
// busy each was. An average over all accelerators hides four that are full and four that are idle.

struct BusyShare {
  std::string accelerator;
  std::string kind;
  double share = 0;  // of the makespan, weighted by units in use
};

struct KindShare {
  std::string kind;
  double share = 0;
};

// The mean over the accelerators of each kind, in the order in which kinds first stand there.
std::vector<KindShare> BusyByKind(std::span<const BusyShare> busy);

// A segment prefers a kind on which it takes at least this much less time than on any other.
inline constexpr double kClearlyFaster = 1.1;  // the other latencies over that one

// The work of a segment is its latency where it is fastest.
struct WorkPreference {
  std::vector<KindShare> kinds;  // of the work, by the kind that it prefers
  double undecided = 0;          // of the work: two kinds or more are about as fast
};

// Of the given numbers of requests, by network. None where these are no work. Costs are those of
// one job alone on a whole accelerator; kinds without an accelerator do not count.
std::optional<WorkPreference> PreferredKinds(const CostTable& costs, const Platform& platform,
                                             std::span<const NetworkGraph> networks,
                                             std::span<const double> requests);

// What a live run says beside its figures: that it was live, who else used its cores, and how far
// what was simulated is what ran.

// How a segment came to run where it did.
enum class Passage : std::uint8_t {
  kGoesOn,     // where its job ran just before
  kTakesOver,  // after another job, or as the first of all
  kMoves,      // its job ran on another accelerator before
};
inline constexpr std::size_t kPassages = 3;

// Segments of a network on a kind of accelerator that came to run there in one way; batches are
// left out. Times are of one segment.
struct SegmentComparison {
  std::string network;
  std::string kind;
  Passage passage{};
  std::uint64_t segments = 0;
  double predicted_us = 0;   // by the true costs, alone, with its hand-over; the mean
  double measured_us = 0;    // likewise
  double beyond_p50_us = 0;  // measured beyond predicted
  double beyond_p95_us = 0;
};

struct TenantFigures {
  double hit_rate = 0;
  double p50_ms = 0;  // of finished requests
  double p95_ms = 0;
};

struct TenantComparison {
  std::string tenant;
  std::string network;
  std::uint64_t requests = 0;
  TenantFigures simulated;
  TenantFigures live;
  TenantFigures again;  // simulated on what was measured in the live run
};

struct LiveComparison {
  std::vector<SegmentComparison> segments;
  std::vector<TenantComparison> tenants;
  std::uint64_t simulated_moves = 0;
};

struct LiveFigures {
  std::string pace;  // "sleep", "spin" or "run"
  std::uint64_t passages[kPassages] = {};
  // Of the time of its cores, where it has cores: what other programs used, and other machines.
  std::optional<double> others_share;
  std::optional<double> stolen_share;
  std::optional<LiveComparison> comparison;

  std::uint64_t moves() const { return passages[static_cast<std::size_t>(Passage::kMoves)]; }
};

// ---- A run -----------------------------------------------------------------------------------

struct DecisionFigures {  // real time, so not the same in every run
  Duration p50{};
  Duration p99{};
  Duration max{};
};

// What a guard did, over the whole run.
struct GuardFigures {
  std::uint64_t wrong_plans = 0;  // these three are strikes
  std::uint64_t slow_decisions = 0;
  std::uint64_t idle_machine = 0;
  std::uint64_t fallbacks = 0;  // times that the fallback took over
  std::uint64_t returns = 0;    // times that the policy came back
  Duration under_fallback{};

  std::uint64_t strikes() const { return wrong_plans + slow_decisions + idle_machine; }
};

// Shares of the accelerators' time, as if nothing else ran.
struct HandOverShares {
  double boundaries = 0;
  double taking_over = 0;
  double moving = 0;
  double switching = 0;

  double sum() const { return boundaries + taking_over + moving + switching; }
};

// What going on with jobs took, over the whole run.
struct HandOverFigures {
  std::uint64_t moves = 0;
  std::uint64_t take_overs = 0;
  double moved_bytes = 0;
  std::optional<HandOverShares> shares;  // none where nobody counted them
};

// A figure that is not there could not be computed: nothing finished, no limit, no time passed.
struct RunFigures {
  std::string policy;
  std::uint64_t seed = 0;
  bool interrupted = false;  // before its end, after the makespan: of what had ended by then
  OutcomeCounts counts;
  std::optional<double> hit_rate;  // hits over all requests, whatever their end
  RateFigures agreements;
  RateFigures tenants;
  std::vector<AgreementFigures> per_agreement;
  std::int64_t window_violations = 0;
  std::optional<Percentiles> latency;  // from arrival to finish, of finished requests
  // Average normalised turnaround time: the mean of latency over isolated latency, of finished
  // requests. 1 is as fast as alone.
  std::optional<double> antt;
  // System throughput: the isolated latencies of all finished requests, added up, over the
  // makespan. As many idle platforms with one request at a time would be as fast.
  std::optional<double> stp;
  std::optional<double> goodput;  // hits per second, from the end of the warm-up to the end
  // The price of each hit, minus the penalty of each other end that a contract covers.
  double revenue = 0;
  double energy = 0;                            // of segments, in joules
  double policy_energy = 0;                     // of decisions, in joules
  std::optional<double> deferrals_per_segment;  // times that a ready segment was left waiting
  Duration makespan{};                          // from time 0 to the last event
  std::vector<BusyShare> busy;
  HandOverFigures hand_overs;
  std::optional<WorkPreference> work_prefers;   // of the requests that are counted; from true costs
  std::optional<double> bandwidth_utilisation;  // of the shared memory, where it limits anything
  DecisionFigures decision;
  std::uint64_t segments = 0;         // finished
  std::uint64_t plan_faults = 0;      // wrong entries of plans that were skipped
  std::optional<GuardFigures> guard;  // where there is one
  std::optional<LiveFigures> live;    // of a live run
  Duration wall_time{};               // real, like the next
  std::optional<double> segments_per_second;
  std::optional<FluidBounds> bounds;
};

// What is left of a run. References only: they must outlive the call.
struct FinishedRun {
  std::string policy;  // as it was asked for, options included
  std::uint64_t seed = 0;
  const OutcomeLog& log;
  const SchedulingEngine& engine;
  const RunTotals& totals;
  std::span<const Duration> isolated;  // latency alone on the idle platform, by network
  const CostTable* truth = nullptr;
  Instant measured_from{};  // the end of the warm-up
  std::optional<FluidBounds> bounds;
  Duration wall_time{};
  bool guarded = false;
};

// Linear in requests and agreements.
RunFigures ComputeFigures(const FinishedRun& run);

}  // namespace fairlead
