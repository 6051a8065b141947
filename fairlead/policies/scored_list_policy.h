// A scoring rule and a placement, combined: the list scheduler for orders that change with time.
//
// Assumes   latencies alone are believed known; nothing is known about future arrivals.
// Steps     1. With drop=early, give up what can no longer make its deadline.
//           2. If an accelerator can take something, score what is ready: all of it, or, where the
//              rule has lanes, what could come next.
//           3. Walk it in that order and ask the placement for each: start it, enqueue it (with a
//              decision period), or let it wait.
//           4. Stop when no accelerator can take anything more.
// Cost      with lanes that of scored_lanes.h. Else O(ready) per decision for the scores and for
//           putting them roughly in order; exactly in order only as far as the walk goes. Nothing
//           when all accelerators are busy.
#pragma once

#include <memory>
#include <string>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

std::unique_ptr<SchedulingPolicy> MakeScoredListPolicy(std::string name,
                                                       std::unique_ptr<ScoringRule> rule,
                                                       const ListPolicyOptions& options,
                                                       RandomStream random);

}  // namespace fairlead
