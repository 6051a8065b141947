#include "fairlead/policies/early_drop.h"

#include "fairlead/base/heap.h"
#include "fairlead/policies/newly_ready.h"

namespace fairlead {

void EarlyDrop::Begin(const SystemView& view, SchedulingPlan& plan) {
  if (rule_ == DropRule::kNone) return;
  VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& /*job*/) { Watch(view, ready); });
  GiveUp(view, plan);
}

void EarlyDrop::Watch(const SystemView& view, const ReadySegment& ready) {
  if (rule_ == DropRule::kNone) return;
  Watch(view, ready, view.costs().ShortestTail(view.job(ready.job).network, ready.segment));
}

void EarlyDrop::Watch(const SystemView& view, const ReadySegment& ready, Duration rest) {
  if (rule_ == DropRule::kNone) return;
  const Job& job = view.job(ready.job);
  PushHeap(heap_, {job.deadline - margin_ - rest, job.serial, ready.job, ready.segment});
}

void EarlyDrop::GiveUp(const SystemView& view, SchedulingPlan& plan) {
  while (!heap_.empty() && heap_.front().latest_start < view.now()) {
    const Watched watched = heap_.front();
    PopHeap(heap_);
    if (!view.IsReady(watched.job, watched.serial, watched.segment)) continue;
    if (GivenUp(watched.job, watched.serial)) continue;
    GiveUpNow(view, watched.job, plan);
  }
}

void EarlyDrop::GiveUpNow(const SystemView& view, JobId id, SchedulingPlan& plan) {
  const Job& job = view.job(id);
  if (given_up_.size() <= id.index()) given_up_.resize(id.index() + 1);
  given_up_[id.index()] = job.serial;
  if (job.started()) {
    plan.Drop(id, Reason::kHopeless);
  } else {
    plan.Reject(id, Reason::kHopeless);
  }
}

}  // namespace fairlead
