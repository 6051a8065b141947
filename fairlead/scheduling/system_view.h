// All that a policy may know at one instant. Costs are beliefs; the truth is not reachable here.
//
// The state behind the view belongs to the engine; a view is cheap to copy and valid during the
// call that it was handed to. Lookups are indices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/platform.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/fairness/ledger.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/job.h"

namespace fairlead {

struct AcceleratorState {
  KindId kind;
  bool online = true;
  int units = 1;
  int free_units = 1;
  // When all that was given to it is believed to be done; in the past when idle or overdue. It
  // counts isolated latencies from each start: slowdown by co-runners is not foreseen.
  Instant believed_free{};
  NetworkId last_network{};             // what ran there last
  std::uint64_t last_job = 0;           // the serial of who began there last; 0: nobody
  std::vector<AssignmentId> running{};  // in order of their starts
  std::vector<AssignmentId> queue{};    // enqueued behind them, first in, first out
};

// The books of the engine. Policies see them through SystemView only.
struct SystemState {
  Instant now{};
  Duration period{};  // of decisions; zero: event-driven
  const Platform* platform = nullptr;
  std::span<const NetworkGraph> networks;
  std::vector<bool> unloaded;          // networks of which no request is taken
  const CostTable* beliefs = nullptr;  // what is derived in it follows the kinds that are online
  std::uint64_t beliefs_version = 0;
  std::vector<Tenant> tenants;
  FairnessLedger ledger;  // the agreements, and what they received
  std::vector<AcceleratorState> accelerators;
  std::vector<Job> jobs;
  std::vector<std::uint32_t> segment_states;
  std::vector<AcceleratorId> segment_places;  // parallel: where it began last
  std::vector<ReadySegment> ready;
  std::vector<std::uint32_t> ready_by_affinity;
  std::vector<ReadySegment> newly_ready;
  std::vector<Assignment> assignments;
};

// What a job finds on an accelerator when it begins a segment there, priced by some costs: beliefs,
// or the truth. All predecessors of the segment have begun somewhere.
HandOver FindHandOver(const SystemState& state, const CostTable& costs, JobId job,
                      SegmentId segment, AcceleratorId accelerator);
// The same for all jobs of an assignment that has not begun. They take over together.
HandOver FindHandOver(const SystemState& state, const CostTable& costs,
                      const Assignment& assignment);

// What the believed latency of a network on an accelerator is to be multiplied by, since that runs
// beside it which runs at this moment, and not what usually does. Slowdowns are known.
double FindBesideNow(const SystemState& state, NetworkId network, AcceleratorId accelerator);
// The slowdown that the believed latencies of a network have in them. Slowdowns are known.
double FindUsualSlowdown(const CostTable& beliefs, NetworkId network);

// A segment's state in 32 bits: two say which, the rest how many predecessors are missing, or
// where it stands in the list of ready segments.
class SegmentState {
 public:
  static constexpr std::uint32_t kWaiting = 0U << 30;
  static constexpr std::uint32_t kReady = 1U << 30;
  static constexpr std::uint32_t kTaken = 2U << 30;
  static constexpr std::uint32_t kDone = 3U << 30;
  static constexpr std::uint32_t kMask = 3U << 30;
};

class SystemView {
 public:
  explicit SystemView(const SystemState& state) : state_(&state) {}

  Instant now() const { return state_->now; }
  Duration period() const { return state_->period; }
  // When the policy is asked next at the latest, if decisions have a period; else never.
  Instant next_epoch() const {
    return state_->period == Duration::zero() ? kNever : state_->now + state_->period;
  }
  const Platform& platform() const { return *state_->platform; }
  std::span<const NetworkGraph> networks() const { return state_->networks; }
  // What segments cost. Tails, totals and fastest kinds count the kinds of which one is online.
  const CostTable& costs() const { return *state_->beliefs; }
  // Grows when these do not count the same kinds any more: whoever keeps some computes them anew.
  std::uint64_t costs_version() const { return state_->beliefs_version; }
  std::span<const AcceleratorState> accelerators() const { return state_->accelerators; }

  // Every segment that could start now, in no particular (but a reproducible) order.
  std::span<const ReadySegment> ready() const { return state_->ready; }
  // How many of them have each affinity (CostTable), so that a policy need not look for segments
  // that suit an accelerator where there are none.
  std::span<const std::uint32_t> ready_by_affinity() const { return state_->ready_by_affinity; }
  // Those of them that the policy has not been shown before, or has been shown and asked to start
  // in vain. A policy that keeps its own queue only needs these. Some may be gone, and others have
  // their slots: VisitNewlyReady leaves these out.
  std::span<const ReadySegment> newly_ready() const { return state_->newly_ready; }

  const Job& job(JobId id) const { return state_->jobs[id.index()]; }
  bool IsReady(JobId id, std::uint64_t serial, SegmentId segment) const {
    const Job& job = state_->jobs[id.index()];
    return job.serial == serial && job.active && IsReady(id, segment);
  }
  bool IsReady(JobId id, SegmentId segment) const {
    const Job& job = state_->jobs[id.index()];
    return (state_->segment_states[job.first_state + segment.index()] & SegmentState::kMask) ==
           SegmentState::kReady;
  }

  // Where a job is matters to what segments cost.
  bool PlacesMatter() const { return state_->beliefs->hand_overs().DependOnPlaces(); }
  // What beginning a ready segment of a job on an accelerator finds now. O(predecessors).
  HandOver HandOverTo(JobId job, SegmentId segment, AcceleratorId accelerator) const {
    return FindHandOver(*state_, *state_->beliefs, job, segment, accelerator);
  }
  // What that costs beside the latency there (costs()): to take over, and to fetch what its
  // predecessors left elsewhere. Nothing where places do not matter.
  Duration HandOverCost(JobId job, SegmentId segment, AcceleratorId accelerator) const {
    return PlacesMatter() ? HandOverTo(job, segment, accelerator).cost() : Duration::zero();
  }
  // Where a predecessor ran that has finished.
  AcceleratorId PlaceOf(JobId job, SegmentId predecessor) const {
    return state_->segment_places[state_->jobs[job.index()].first_state + predecessor.index()];
  }
  // Something is believed of how networks slow each other.
  bool SlowdownsKnown() const { return state_->beliefs->slowdowns() != nullptr; }
  // The believed slowdown of a candidate beside what runs elsewhere at this moment, over the one
  // that its latency (costs()) has in it. 1 where nothing is believed of that. O(accelerators).
  double BesideNow(NetworkId network, AcceleratorId accelerator) const {
    return SlowdownsKnown() ? FindBesideNow(*state_, network, accelerator) : 1;
  }
  // The slowdown that the latencies of a network have in them, mean over accelerators; 1: none.
  double UsualSlowdown(NetworkId network) const {
    return SlowdownsKnown() ? FindUsualSlowdown(*state_->beliefs, network) : 1;
  }
  const Assignment& assignment(AssignmentId id) const { return state_->assignments[id.slot]; }
  std::span<const Tenant> tenants() const { return state_->tenants; }
  const FairnessLedger& ledger() const { return state_->ledger; }
  // A plan has given up its promise, and none has restored it.
  bool Sacrificed(AgreementId id) const { return state_->ledger.IsSacrificed(id); }

 private:
  const SystemState* state_;
};

// What a policy that keeps its own queue has to take in at a decision.

// Shows each segment that the policy has not been shown before, or was asked to start in vain, with
// its job; those that are gone already are left out.
template <typename Visit>
void VisitNewlyReady(const SystemView& view, Visit&& visit) {
  for (const ReadySegment& ready : view.newly_ready()) {
    if (view.IsReady(ready.job, ready.serial, ready.segment)) visit(ready, view.job(ready.job));
  }
}

}  // namespace fairlead
