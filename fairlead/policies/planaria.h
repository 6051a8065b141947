// Fission: an accelerator's units are divided so that tasks make their deadlines with as few units
// as they need.
//
// Assumes     believed latencies for every number of units are right; units can change hands while
//             segments run.
// Steps       A task is a segment that runs or is ready, with the way from it to the end of its
//             network behind it.
//             1. Ready segments are walked by priority / slack, largest first, and each joins the
//                accelerator with the earliest believed finish. An accelerator of one unit takes
//                one at a time, and others wait.
//             2. Each accelerator of several units is divided anew among what runs there and what
//                joined it, by the rules of unit_division.h: the fewest units that meet the slack,
//                the rest by priority over remaining time; in overload by priority / (slack x
//                need), and nothing for the hopeless unless all are.
//             3. What runs is resized at once, what joined starts with its units.
//             On one accelerator of one unit this is priority / slack alone. There the quotient of
//             the late is negative, which puts them last; late=urgent puts them first.
// Guarantees  while needs fit and beliefs are right, every deadline is met. In overload priorities
//             decide; a hopeless task may wait for as long as there are others.
// Source      Planaria (Ghodrati et al., MICRO'20), its public scheduler.
// Cost        O(ready x units) per decision on divided accelerators; where all have one unit,
//             O(priorities), and O(log ready + kinds) for each segment walked.
#pragma once

#include <memory>
#include <string>

#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct PlanariaOptions {
  LateRule late = LateRule::kLiteral;
  DropRule drop = DropRule::kNone;
};

// Its order: priority over slack, largest first.
std::unique_ptr<ScoringRule> MakePriorityOverSlack(LateRule late);

std::unique_ptr<SchedulingPolicy> MakePlanaria(std::string name, const PlanariaOptions& options);

}  // namespace fairlead
