// What is ready and not given up, in the order of a scoring rule, for as long as the policy likes.
// O(ready) to score and to put roughly in order; exactly in order only as far as the walk goes.
#pragma once

#include <vector>

#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/scored_order.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class ScoredWalk {
 public:
  ScoredWalk() { segments_.reserve(ScoredOrder::kRoomAtFirst); }
  // Shows segments in order until `visit` returns false or none is left.
  template <typename Visit>
  void Walk(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule, Visit&& visit) {
    Arrange(view, early_drop, rule);
    for (auto group = order_.Next(); !group.empty(); group = order_.Next()) {
      for (const ScoredSegment& segment : group) {
        if (!visit(segment)) return;
      }
    }
  }

 private:
  void Arrange(const SystemView& view, const EarlyDrop& early_drop, ScoringRule& rule);

  std::vector<ScoredSegment> segments_;  // of this decision
  ScoredOrder order_;
};

}  // namespace fairlead
