// Ready segments in the order of VTC: what goes on, by admission; then the least counter's earliest
// job, again and again, each tenant counting as served by what it was shown.
//
// One lane for what goes on and one for each tenant: of a lane only the head has to be looked at.
// O(log n) per segment that becomes ready; per walk O(lanes that hold something), and O(log lanes)
// for each segment shown. O(segments of its network) when a job is admitted: its other branches go
// on with it. Allocates only at a new height.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "fairlead/base/heap.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/policies/virtual_counters.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

enum class Preemption : std::uint8_t {
  kNone,     // a job that has been admitted goes on before anybody is admitted
  kSegment,  // it queues again after each segment
};

class VtcQueue {
 public:
  explicit VtcQueue(Preemption preemption) : preemption_(preemption) {}

  void Observe(const SystemView& view, const Event& event);
  // Takes in what has become ready: at every decision, also where nothing can start.
  void Take(const SystemView& view);

  // Shows segments in order until `visit` returns false or none is left.
  template <typename Visit>
  void Walk(const SystemView& view, const EarlyDrop& early_drop, Visit&& visit) {
    Open(view, early_drop);
    while (!heads_.empty()) {
      const Head head = heads_.front();
      PopHeap(heads_);
      const bool more = visit(head.segment);
      Step(view, early_drop, head);
      if (!more) break;
    }
    Close();
  }

 private:
  struct Lane {
    ReadyQueue queue;
    ReadyQueue::Cursor cursor;
    double tag = 0;             // the tenant's counter, and what it was shown in this walk
    std::uint64_t shown = 0;    // by this walk: the last job,
    SegmentId shown_segment{};  // and its segment
    bool listed = false;        // in filled_
  };
  struct Head {
    ScoredSegment segment;
    std::uint32_t lane = 0;
    friend bool operator>(const Head& a, const Head& b) { return b.segment < a.segment; }
  };
  static constexpr std::size_t kGoingOn = 0;  // the lane; tenants have the others

  bool GoesOn(const Job& job) const { return preemption_ == Preemption::kNone && job.started(); }
  void Push(const Job& job, JobId id, SegmentId segment);
  void Open(const SystemView& view, const EarlyDrop& early_drop);
  void Step(const SystemView& view, const EarlyDrop& early_drop, const Head& head);
  // Puts the first of the lane that is still there among the heads.
  void Offer(const SystemView& view, const EarlyDrop& early_drop, std::uint32_t number);
  bool IsGone(const SystemView& view, const QueuedSegment& entry, std::size_t lane) const;
  void Close();

  Preemption preemption_;
  VirtualCounters counters_;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> filled_;  // lanes that hold something, in no particular order
  std::size_t size_ = 0;               // of all lanes, with what is gone and not yet noticed
  std::vector<Head> heads_;            // heap, the first on top
};

}  // namespace fairlead
