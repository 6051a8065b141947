// Accelerators whose units a policy divides: what runs there and what joins it, as tasks for
// fission.h, and the plan that carries a division out.
//
// Begin opens a decision, Join notes a segment for an accelerator. For each of them in turn, Gather
// hands out its tasks; somebody gives them units; CarryOut resizes what runs and starts what
// joined, and forgets who had joined. Allocates only at a new height.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/policies/fission.h"
#include "fairlead/policies/unit_costs.h"
#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class UnitDivision {
 public:
  void Begin(const SystemView& view) {
    costs_.Follow(view);
    joined_.resize(view.accelerators().size());
  }
  void Join(AcceleratorId accelerator, JobId job, SegmentId segment) {
    joined_[accelerator.index()].emplace_back(job, segment);
  }
  std::size_t Joined(AcceleratorId accelerator) const {
    return joined_[accelerator.index()].size();
  }

  struct Tasks {
    std::span<FissionTask> tasks;
    int capacity = 0;  // units for all of them
  };
  // A task needs the fewest units with which it takes up no more than this share of its slack, or
  // all of them if it makes its deadline only so.
  Tasks Gather(const SystemView& view, AcceleratorId accelerator, double of_slack = 1);
  // The tasks as they were handed out, in any order.
  void CarryOut(const SystemView& view, AcceleratorId accelerator, SchedulingPlan& plan);

 private:
  // `left` is the share of the segment that has not run yet.
  FissionTask TaskOf(const SystemView& view, JobId job, SegmentId segment, KindId kind, double left,
                     double of_slack) const;

  UnitCosts costs_;
  std::vector<std::vector<std::pair<JobId, SegmentId>>> joined_;  // per accelerator
  std::vector<FissionTask> tasks_;                                // of the accelerator at hand
};

}  // namespace fairlead
