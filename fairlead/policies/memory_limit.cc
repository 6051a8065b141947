#include "fairlead/policies/memory_limit.h"

#include <algorithm>

namespace fairlead {
namespace {

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
  const SegmentCost* const cost = view.costs().Find(
      running.network, running.segment, kind, {.units = running.units, .batch = running.batch()});
  const double demand = cost == nullptr ? 0 : BytesPerSecond(*cost);
  return running.bandwidth_cap == 0 ? demand
                                    : std::min(demand, static_cast<double>(running.bandwidth_cap));
}

}  // namespace

void MemoryLimit::Begin(const SystemView& view) {
  demand_ = 0;
  running_ = 0;
  const std::int64_t bandwidth = view.platform().bandwidth;
  counts_ = bandwidth > 0 && (times_ != kNone || shares_ != kNone);
  most_ = counts_ ? times_ * static_cast<double>(bandwidth) : kNone;
  if (!counts_) return;
  for (const AcceleratorState& accelerator : view.accelerators()) {
    running_ += static_cast<int>(accelerator.running.size());
    for (AssignmentId id : accelerator.running) {
      const Assignment& running = view.assignment(id);
      const Duration left = running.BelievedLeft(view.now());
      // Nobody knows how long what is overdue will go on.
      demand_ += DemandOf(view, running, accelerator.kind) *
                 ShareOfPeriod(view, left == Duration::zero() ? view.period() : left);
    }
    if (view.period() == Duration::zero()) continue;
    for (AssignmentId id : accelerator.queue) {
      const Assignment& next = view.assignment(id);
      demand_ +=
          DemandOf(view, next, accelerator.kind) * ShareOfPeriod(view, next.believed_latency);
    }
  }
}

void MemoryLimit::Count(const SystemView& view, PlacementChoice::Action action, NetworkId network,
                        SegmentId segment, KindId kind, std::int64_t cap) {
  using Action = PlacementChoice::Action;
  if (!counts_ || action == Action::kWait) return;
  if (action == Action::kEnqueue && view.period() == Duration::zero()) return;
  const SegmentCost& cost = *view.costs().Alone(network, segment, kind);
  const double demand = BytesPerSecond(cost);
  demand_ += (cap == 0 ? demand : std::min(demand, static_cast<double>(cap))) *
             ShareOfPeriod(view, cost.latency);
  ++running_;
}

bool MemoryLimit::IsLight(const SystemView& view, NetworkId network, SegmentId segment) const {
  const CostTable& costs = view.costs();
  const SegmentCost* const cost =
      costs.Alone(network, segment, costs.FastestKind(network, segment));
  return cost != nullptr &&
         BytesPerSecond(*cost) * (running_ + 1) <= static_cast<double>(view.platform().bandwidth);
}

std::int64_t MemoryLimit::CapOf(const SystemView& view, NetworkId network, SegmentId segment,
                                KindId kind) const {
  if (shares_ == kNone || !counts_) return 0;
  const auto bandwidth = static_cast<double>(view.platform().bandwidth);
  const double cap = std::max(shares_ * bandwidth / (running_ + 1), bandwidth - demand_);
  if (BytesPerSecond(*view.costs().Alone(network, segment, kind)) <= cap) return 0;
  return std::max<std::int64_t>(static_cast<std::int64_t>(cap), 1);
}

}  // namespace fairlead
