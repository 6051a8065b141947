// What is ready and not given up, in the order of a scoring rule, for as long as the policy likes.
// O(ready) to score, O(log ready) for each segment shown. Allocates only at a new height above
// kRoomAtFirst.
#pragma once

#include <cstddef>
#include <vector>

#include "fairlead/base/heap.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class ScoredWalk {
 public:
  ScoredWalk() { segments_.reserve(kRoomAtFirst); }
  // Shows segments in order until `visit` returns false or none is left.
  template <typename Visit>
  void Walk(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule, Visit&& visit) {
    segments_.clear();
    for (const ReadySegment& ready : view.ready()) {
      const Job& job = view.job(ready.job);
      if (early_drop.GivenUp(ready.job, job.serial)) continue;
      segments_.push_back({.serial = job.serial,
                           .job = ready.job,
                           .segment = ready.segment,
                           .covered = job.covered});
    }
    rule.Score(view, segments_);
    std::ranges::make_heap(segments_, std::greater<>{});
    while (!segments_.empty() && visit(segments_.front())) PopHeap(segments_);
  }

 private:
  static constexpr std::size_t kRoomAtFirst = 1024;
  std::vector<ScoredSegment> segments_;  // heap, the first on top
};

}  // namespace fairlead
