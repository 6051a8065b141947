// Queues of policies that give each job to one accelerator, its home: all its segments run there,
// in the order of a key, as far as they can.
//
// A segment that its home can't run, or whose home is away, goes to the accelerator that is there,
// can run it and is believed to be free first, counting what waits there. Amortised O(log n) per
// segment; O(accelerators) per decision and for each segment that leaves its home.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// Which part of each network's requests goes to which accelerator: what `goal-directed` obeys, and
// what a search over assignments finds (running/assignment_search.h).

// By name, so that it holds however a run numbers its world. Networks that are not named go where
// they are fast.
struct AllocationRatios {
  struct Row {
    std::string network;
    std::string accelerator;  // "dla.1"; the bare kind where there is one
    double ratio = 0;         // not negative; only their proportions within a network count
  };
  std::vector<Row> rows;
};

// CSV: network,accelerator,ratio. A pair that stands twice, and a network without a positive ratio,
// are errors.
Result<AllocationRatios> ParseAllocationRatios(const std::string& file, std::string_view text);
std::string FormatAllocationRatios(const AllocationRatios& ratios);

// Ratios for accelerators without a table.
enum class UsualRatios : std::uint8_t {
  kSpeed,  // in proportion to how fast the network is there
  kEqual,  // alike wherever it can run
};

// The ratios of a network by accelerator, which sum to 1 over those that are online and can run its
// first segment: what is away counts as if it were not listed.
// Rows that name nothing that is there are ignored. O(rows + segments x kinds + accelerators).
std::vector<double> RatiosOf(const AllocationRatios& ratios, UsualRatios usual,
                             const SystemView& view, NetworkId network);

// How long a whole network takes on a kind: segments that can't run there where they are fastest.
Duration WholeLatency(const SystemView& view, NetworkId network, KindId kind);

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
