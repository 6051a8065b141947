// Queues of policies that give each job to one accelerator, its home: all its segments run there,
// in the order of a key, as far as they can.
//
// A segment that its home can't run, or whose home is away, goes to the accelerator that is there,
// can run it and is believed to be free first, counting what waits there. Amortised O(log n) per
// segment; O(accelerators) per decision and for each segment that leaves its home.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class HomeQueues {
 public:
  // A new decision: what waits at an accelerator that has left finds another place.
  void Begin(const SystemView& view);

  // The home of a job; invalid: it has none yet.
  AcceleratorId HomeOf(const SystemView& view, JobId job) const;
  void SetHome(const SystemView& view, JobId job, AcceleratorId home);

  // Queues a ready segment of a job that may have a home.
  void Push(const SystemView& view, JobId job, SegmentId segment, std::int64_t key);

  // Shows what waits at an accelerator, in order; some may be gone. O(n).
  template <typename Visit>
  void ForEach(AcceleratorId accelerator, Visit&& visit) {
    queues_[accelerator.index()].Walk([&](const QueuedSegment& entry) {
      visit(entry);
      return ReadyQueue::Step::kKeep;
    });
  }
  bool Empty(AcceleratorId accelerator) const { return queues_[accelerator.index()].size() == 0; }

  // Gives a usable slot what waits at it: all, or only what contracts cover.
  enum class Which : std::uint8_t { kAll, kCovered };
  void Serve(const SystemView& view, AcceleratorSlots& slots, AcceleratorSlot& slot,
             const EarlyDrop& early_drop, SchedulingPlan& plan, Which which = Which::kAll);

 private:
  struct Home {
    std::uint64_t serial = 0;  // of the job in this slot
    AcceleratorId accelerator{};
  };
  AcceleratorId PlaceFor(const SystemView& view, JobId job, SegmentId segment) const;

  std::vector<ReadyQueue> queues_;      // per accelerator
  std::vector<Home> homes_;             // per job slot
  std::vector<QueuedSegment> leaving_;  // scratch
};

}  // namespace fairlead
