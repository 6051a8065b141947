#include "fairlead/policies/home_queues.h"

#include <algorithm>
#include <tuple>

namespace fairlead {

void HomeQueues::Begin(const SystemView& view) {
  const auto accelerators = view.accelerators();
  queues_.resize(accelerators.size());
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    if (accelerators[a].online || queues_[a].size() == 0) continue;
    leaving_.clear();
    queues_[a].Walk([&](const QueuedSegment& entry) {
      if (view.IsReady(entry.job, entry.serial, entry.segment)) leaving_.push_back(entry);
      return ReadyQueue::Step::kRemove;
    });
    for (const QueuedSegment& entry : leaving_) Push(view, entry.job, entry.segment, entry.key);
  }
}

AcceleratorId HomeQueues::HomeOf(const SystemView& view, JobId job) const {
  if (job.index() >= homes_.size()) return {};
  const Home& home = homes_[job.index()];
  return home.serial == view.job(job).serial ? home.accelerator : AcceleratorId{};
}

void HomeQueues::SetHome(const SystemView& view, JobId job, AcceleratorId home) {
  if (homes_.size() <= job.index()) homes_.resize(job.index() + 1);
  homes_[job.index()] = {view.job(job).serial, home};
}

AcceleratorId HomeQueues::PlaceFor(const SystemView& view, JobId id, SegmentId segment) const {
  const auto accelerators = view.accelerators();
  const auto latencies = view.costs().LatenciesAlone(view.job(id).network, segment);
  const auto latency = [&](AcceleratorId a) {
    return latencies[accelerators[a.index()].kind.index()];
  };
  const AcceleratorId home = HomeOf(view, id);
  if (home.valid() && accelerators[home.index()].online && latency(home) != CostTable::kCannotRun)
    return home;
  AcceleratorId best;
  AcceleratorId away;
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    const AcceleratorId here{a};
    if (latency(here) == CostTable::kCannotRun) continue;
    if (!accelerators[a].online) {
      if (!away.valid()) away = here;
      continue;
    }
    const auto rank = [&](AcceleratorId one) {
      const AcceleratorState& state = accelerators[one.index()];
      return std::tuple(queues_[one.index()].size(), std::max(state.believed_free, view.now()),
                        latency(one));
    };
    if (!best.valid() || rank(here) < rank(best)) best = here;
  }
  return best.valid() ? best : away;
}

void HomeQueues::Push(const SystemView& view, JobId id, SegmentId segment, std::int64_t key) {
  const Job& job = view.job(id);
  const AcceleratorId where = PlaceFor(view, id, segment);
  queues_[where.index()].Push({key, job.serial, segment, id, job.network, job.covered});
}

void HomeQueues::Serve(const SystemView& view, AcceleratorSlots& slots, AcceleratorSlot& slot,
                       const EarlyDrop& early_drop, SchedulingPlan& plan, Which which) {
  queues_[slot.id.index()].Walk([&](const QueuedSegment& entry) {
    if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
        early_drop.GivenUp(entry.job, entry.serial))
      return ReadyQueue::Step::kRemove;
    if (which == Which::kCovered && !entry.covered) return ReadyQueue::Step::kKeepAndStop;
    const Duration latency = view.costs().Alone(entry.network, entry.segment, slot.kind)->latency;
    const Duration hand_over = slots.HandOver(view, slot, entry.job, entry.segment);
    AddToPlan(slots.Book(slot, latency + hand_over), entry.job, entry.segment, plan);
    return slot.usable ? ReadyQueue::Step::kRemove : ReadyQueue::Step::kRemoveAndStop;
  });
}

}  // namespace fairlead
