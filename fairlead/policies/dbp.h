// DBP: distance-based priority for promises of the form "of any `window` consecutive requests at
// most `max_misses` may fail".
//
// Assumes     each agreement is one stream of requests; what counts is how its last ones ended.
// Steps       The distance of an agreement is the number of further failures in a row after which
//             its promise is broken, 0 when it is broken now. The smallest distance goes first,
//             ties to the earlier deadline. An agreement without a window is held to its target
//             rate in a window of 20, rounded down to whole failures: 90 % allows two. Best effort
//             is held to a target of the option's.
// Guarantees  none in overload; it spreads failures so that few windows are broken, where EDF
//             spreads them without looking. Whoever is broken already comes first, and stays there
//             until the window has recovered.
// Source      Hamdaoui and Ramanathan, IEEE Transactions on Computers 44(12), 1995.
// Cost        O(agreements) per decision, O(log ready) for each segment looked at.
#pragma once

#include <memory>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

struct DbpOptions {
  double best_effort = 0.9;  // the target that best effort is held to
  ListPolicyOptions list;
};

std::unique_ptr<ScoringRule> MakeDistanceBasedPriority(double best_effort);

}  // namespace fairlead
