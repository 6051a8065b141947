// Accelerators whose units a policy divides: what runs there and what joins it, as tasks for
// Fission, and the plan that carries a division out.
//
// Begin opens a decision, Join notes a segment for an accelerator. For each of them in turn, Gather
// hands out its tasks; somebody gives them units; CarryOut resizes what runs and starts what
// joined, and forgets who had joined. Allocates only at a new height.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/policies/unit_costs.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// Planaria's division of one accelerator's units among tasks.
//
// If every task can make its deadline with some number of units, and the fewest such numbers fit
// together, each task gets that many, and the rest is spread in proportion to priority over
// remaining time. Else the tasks that can make it are served greedily by priority / (slack x need),
// the last one perhaps in part; those that cannot get nothing, unless none can: then units are
// spread in proportion to priority over remaining time on all units.
//
// A task that runs keeps at least the fewest units that it can run on: here a segment cannot be
// stopped half-way. What rounding leaves over goes one by one to the tasks of the highest priority,
// then the highest score, then the earliest arrival; what it hands out too much is taken back from
// the other end. (The authors' code draws lots.)
struct FissionTask {
  JobId job;
  SegmentId segment;
  std::uint64_t serial = 0;  // earlier arrivals are smaller
  double priority = 1;
  Duration slack{};      // until the deadline
  int fewest = 1;        // units that it can run on
  int need = 0;          // fewest units that meet the slack; 0: it is hopeless
  Duration remaining{};  // with the needed units; on all units if it is hopeless
  bool running = false;
  AssignmentId assignment{};  // where it runs
  std::uint32_t place = 0;    // for DivideInOrder: smaller first
  int units = 0;              // granted: the result; 0: it waits
};

class Fission {
 public:
  // `capacity` is at least the sum of `fewest` over the tasks that run. O(tasks), and O(log tasks)
  // for each unit.
  void Divide(std::span<FissionTask> tasks, int capacity);
  // For whoever has an order of their own: by place, each gets what it needs while there are units
  // left for that (what runs also less), then the hopeless the fewest they can run on, and the rest
  // is spread over those that have some. Puts tasks in order. O(tasks log tasks).
  void DivideInOrder(std::span<FissionTask> tasks, int capacity);

 private:
  struct Ranked {
    double score = 0;
    FissionTask* task = nullptr;
    int extra = 0;  // of the units that are spread
  };
  void GrantNeeds(std::span<FissionTask> tasks, int capacity);
  void ServeGreedily(std::span<FissionTask> tasks, int spare);
  void ServeHopeless(std::span<FissionTask> tasks, int spare);
  // Over all of them, or only over those that have units.
  enum class Among : std::uint8_t { kAll, kServed };
  void Spread(std::span<FissionTask> tasks, int amount, Among among = Among::kAll);
  void Correct(int difference);

  std::vector<Ranked> ranked_;  // scratch
};

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
