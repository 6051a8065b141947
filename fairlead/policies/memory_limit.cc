#include "fairlead/policies/memory_limit.h"

#include <algorithm>

namespace fairlead {
namespace {

constexpr double kHurryMargin = 1.5;  // of the bandwidth that a deadline needs

double BytesPerSecond(const SegmentCost& cost) {
  if (cost.latency <= Duration::zero()) return 0;
  return static_cast<double>(cost.dram_bytes) / Seconds(cost.latency);
}

// Of the time until the next decision.
double ShareOfPeriod(const SystemView& view, Duration time) {
  if (view.period() == Duration::zero() || time >= view.period()) return 1;
  return Seconds(time) / Seconds(view.period());
}

double DemandOf(const SystemView& view, const Assignment& running, KindId kind) {
  const SegmentCost* const cost =
      view.costs().Find(running.network, running.segment, kind, running.configuration());
  const double demand = cost == nullptr ? 0 : BytesPerSecond(*cost);
  return running.bandwidth_cap == 0 ? demand
                                    : std::min(demand, static_cast<double>(running.bandwidth_cap));
}

// Of a batch, all of it.
bool Exceeds(const SystemView& view, const ScoringRule& rule, const Assignment& running) {
  return std::ranges::all_of(running.jobs, [&](JobId id) { return rule.Exceeds(view, id); });
}

}  // namespace

void MemoryLimit::Begin(const SystemView& view, const ScoringRule* rule) {
  all_ = within_ = {};
  const std::int64_t bandwidth = view.platform().bandwidth;
  counts_ = bandwidth > 0 && (times_ != kNone || shares_ != kNone);
  most_ = counts_ ? times_ * static_cast<double>(bandwidth) : kNone;
  if (!counts_) return;
  for (const AcceleratorState& accelerator : view.accelerators()) {
    for (AssignmentId id : accelerator.running) {
      const Assignment& running = view.assignment(id);
      const Duration left = running.BelievedLeft(view.now());
      // Nobody knows how long what is overdue will go on.
      const double demand = DemandOf(view, running, accelerator.kind) *
                            ShareOfPeriod(view, left == Duration::zero() ? view.period() : left);
      Add({.count = 1, .demand = demand}, rule != nullptr && Exceeds(view, *rule, running));
    }
    if (view.period() == Duration::zero()) continue;
    for (AssignmentId id : accelerator.queue) {
      const Assignment& next = view.assignment(id);
      const double demand =
          DemandOf(view, next, accelerator.kind) * ShareOfPeriod(view, next.believed_latency);
      Add({.count = 0, .demand = demand}, rule != nullptr && Exceeds(view, *rule, next));
    }
  }
}

void MemoryLimit::Add(const Running& what, bool exceeds) {
  const auto add = [&](Running& to) {
    to.count += what.count;
    to.demand += what.demand;
  };
  add(all_);
  if (!exceeds) add(within_);
}

void MemoryLimit::Count(const SystemView& view, PlacementChoice::Action action, NetworkId network,
                        SegmentId segment, KindId kind, std::int64_t cap, bool exceeds) {
  using Action = PlacementChoice::Action;
  if (!counts_ || action == Action::kWait) return;
  if (action == Action::kEnqueue && view.period() == Duration::zero()) return;
  const SegmentCost& cost = *view.costs().Alone(network, segment, kind);
  const double wanted = BytesPerSecond(cost);
  const double demand = cap == 0 ? wanted : std::min(wanted, static_cast<double>(cap));
  Add({.count = 1, .demand = demand * ShareOfPeriod(view, cost.latency)}, exceeds);
}

bool MemoryLimit::IsLight(const SystemView& view, NetworkId network, SegmentId segment) const {
  const CostTable& costs = view.costs();
  const SegmentCost* const cost =
      costs.Alone(network, segment, costs.FastestKind(network, segment));
  return cost != nullptr &&
         BytesPerSecond(*cost) * (all_.count + 1) <= static_cast<double>(view.platform().bandwidth);
}

std::int64_t MemoryLimit::CapOf(const SystemView& view, NetworkId network, SegmentId segment,
                                KindId kind, bool exceeds, double hurry) const {
  if (shares_ == kNone || !counts_) return 0;
  const auto bandwidth = static_cast<double>(view.platform().bandwidth);
  const Running& others = exceeds ? all_ : within_;
  const double demand = BytesPerSecond(*view.costs().Alone(network, segment, kind));
  const double cap = std::max({shares_ * bandwidth / (others.count + 1), bandwidth - others.demand,
                               kHurryMargin * hurry * demand});
  if (demand <= cap) return 0;
  return std::max<std::int64_t>(static_cast<std::int64_t>(cap), 1);
}

}  // namespace fairlead
