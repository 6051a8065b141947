// Every figure of one run, computed once, for all forms of output.
//
// Requests that arrived during the warm-up are left out of everything that says how requests
// fared. What says how the machine fared (stp, energy, makespan, busy, bandwidth, segments,
// decisions) covers the whole run, since there the two cannot be told apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/base/time.h"
#include "fairlead/report/agreement_figures.h"
#include "fairlead/report/kind_figures.h"
#include "fairlead/report/live_figures.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/run_setup.h"
#include "fairlead/workload/fluid_bound.h"

namespace fairlead {

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
