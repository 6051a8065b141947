#include <algorithm>

#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

// So that sums do not overflow.
constexpr std::int64_t kMostBytes = 4'000'000'000'000'000'000;

}  // namespace

HandOver FindHandOver(const SystemState& state, const CostTable& costs, JobId id, SegmentId segment,
                      AcceleratorId accelerator) {
  const Job& job = state.jobs[id.index()];
  const AcceleratorState& there = state.accelerators[accelerator.index()];
  HandOver found;
  for (SegmentId predecessor : state.networks[job.network.index()].Predecessors(segment)) {
    const AcceleratorId place = state.segment_places[job.first_state + predecessor.index()];
    if (place == accelerator) continue;
    const std::int64_t bytes = costs.AliveBytes(job.network, predecessor);
    const KindId from = state.accelerators[place.index()].kind;
    ++found.moves;
    found.moved_bytes = std::min(found.moved_bytes + bytes, kMostBytes);
    found.move = std::min(found.move + costs.hand_overs().Move(from, there.kind).For(bytes),
                          MoveCost::kLongest);
  }
  found.takes_over = there.last_job != job.serial;
  if (found.takes_over) found.take_over = costs.hand_overs().TakeOver(there.kind);
  return found;
}

HandOver FindHandOver(const SystemState& state, const CostTable& costs,
                      const Assignment& assignment) {
  HandOver sum = FindHandOver(state, costs, assignment.jobs.front(), assignment.segment,
                              assignment.accelerator);
  for (std::size_t i = 1; i < assignment.jobs.size(); ++i) {
    const HandOver one =
        FindHandOver(state, costs, assignment.jobs[i], assignment.segment, assignment.accelerator);
    sum.moves += one.moves;
    sum.moved_bytes = std::min(sum.moved_bytes + one.moved_bytes, kMostBytes);
    sum.move = std::min(sum.move + one.move, MoveCost::kLongest);
  }
  return sum;
}

}  // namespace fairlead
