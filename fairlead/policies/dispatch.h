// What policies do with the segments they have put in order: give up the hopeless ones, and ask a
// placement for the others, one after another, until no accelerator can take more.
#pragma once

#include <cstdint>
#include <memory>

#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/placement.h"
#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

enum class DropRule : std::uint8_t {
  kNone,   // late jobs are finished, unless the scenario drops them
  kEarly,  // jobs that can no longer make it are given up
};

class Dispatch {
 public:
  Dispatch(DropRule drop, std::unique_ptr<Placement> placement);

  // Opens a decision, and gives up what it has to.
  void Begin(const SystemView& view, SchedulingPlan& plan);
  // No accelerator can take anything more at this decision.
  bool Exhausted() const { return placement_->Exhausted(); }
  bool GivenUp(JobId job, std::uint64_t serial) const { return early_drop_.GivenUp(job, serial); }
  // Starts or enqueues a ready segment of a job that is not given up, or lets it wait.
  PlacementChoice Offer(const SystemView& view, JobId job, SegmentId segment, SchedulingPlan& plan);

 private:
  DropRule drop_;
  std::unique_ptr<Placement> placement_;
  EarlyDrop early_drop_;
};

}  // namespace fairlead
