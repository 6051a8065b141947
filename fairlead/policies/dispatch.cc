#include "fairlead/policies/dispatch.h"

#include <utility>

namespace fairlead {

Dispatch::Dispatch(DropRule drop, std::unique_ptr<Placement> placement)
    : drop_(drop), placement_(std::move(placement)) {}

void Dispatch::Begin(const SystemView& view, SchedulingPlan& plan) {
  if (drop_ == DropRule::kEarly) {
    for (const ReadySegment& ready : view.newly_ready()) {
      if (view.job(ready.job).active && view.IsReady(ready.job, ready.segment))
        early_drop_.Watch(view, ready);
    }
    early_drop_.GiveUp(view, plan);
  }
  placement_->Begin(view);
}

PlacementChoice Dispatch::Offer(const SystemView& view, JobId job, SegmentId segment,
                                SchedulingPlan& plan) {
  const PlacementChoice choice = placement_->Place(view, view.job(job).network, segment);
  AddToPlan(choice, job, segment, plan);
  return choice;
}

}  // namespace fairlead
