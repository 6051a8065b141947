// What a policy that keeps its own queue has to take in at a decision.
#pragma once

#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// Shows each segment that the policy has not been shown before, or was asked to start in vain, with
// its job; those that are gone already are left out.
template <typename Visit>
void VisitNewlyReady(const SystemView& view, Visit&& visit) {
  for (const ReadySegment& ready : view.newly_ready()) {
    if (view.IsReady(ready.job, ready.serial, ready.segment)) visit(ready, view.job(ready.job));
  }
}

}  // namespace fairlead
