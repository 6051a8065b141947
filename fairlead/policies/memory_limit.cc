#include "fairlead/policies/memory_limit.h"

#include <algorithm>

namespace fairlead {
namespace {

double BytesPerSecond(const SegmentCost& cost) {
  if (cost.latency <= Duration::zero()) return 0;
  return static_cast<double>(cost.dram_bytes) / Seconds(cost.latency);
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
  const std::int64_t bandwidth = view.platform().bandwidth;
  most_ = bandwidth == 0 ? kNone : times_ * static_cast<double>(bandwidth);
  if (most_ == kNone) return;
  for (const AcceleratorState& accelerator : view.accelerators()) {
    for (AssignmentId id : accelerator.running)
      demand_ += DemandOf(view, view.assignment(id), accelerator.kind);
  }
}

void MemoryLimit::Count(const SystemView& view, NetworkId network, SegmentId segment, KindId kind) {
  if (most_ == kNone) return;
  demand_ += BytesPerSecond(*view.costs().Alone(network, segment, kind));
}

}  // namespace fairlead
