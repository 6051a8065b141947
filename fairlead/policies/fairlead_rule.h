// fairlead: promises are kept; where not everything fits, what is worth least gives way.
//
// Assumes     latencies alone are believed known; nothing is known about future arrivals.
// Steps       1. Standing. Each agreement has failures to spare: those that it can still take and
//                keep its promise. A promise with fewer to spare than chance may take is needed.
//                Best effort that is behind the mean of best effort is short. A request is worth 1,
//                and more the more its agreement lacks of a hundred requests.
//             2. Selection. If all requests that are there fit before their deadlines, all of them
//                are selected. Else they are taken in this order while they fit (demand_bound.h):
//                floors that are owed, needed promises, other promises, promises given up (by the
//                order of sacrifice.h), short best effort, other best effort; within the others by
//                worth per time that is left to do. What fits is judged by the pace that was
//                observed (observed_pace.h), of which half is kept for what is yet to come. What
//                is beyond an entitlement or a contract is never selected.
//             3. Order. Selected requests run by deadline; of these first floors that are owed, and
//                those that are needed or short and have less slack than twice what they still
//                take. What was not selected runs behind, in the order of selection, and last what
//                can no longer make it as observed.
//             Which promises are given up is decided by sacrifice.h, who is beyond an entitlement
//             by entitlement.h, floors of best effort are kept by floor_credits.h. A segment that
//             wants more than three equal parts of the bandwidth is throttled to that, or to what
//             its deadline needs if that is more. Units are divided in the same order.
//             With drop=early (the default), what can no longer make it is given up.
// Guarantees  docs/policies/fairlead.md.
// Source      ours; selection follows Moore and Hodgson (1968), the bound is that of EDF, the
//             division of units Planaria's.
// Cost        O(ready) per decision, and O(ready x units) on divided accelerators; O(ready log
//             ready + agreements of what is ready) to select, at every event below 512 jobs, and
//             once in ready / 512 events above: who comes meanwhile is let in if there is room.
#pragma once

#include <cstdint>
#include <memory>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

// What becomes of promises when not all can be kept.
enum class Triage : std::uint8_t {
  kOrdered,  // those whose breach costs least are given up
  kEqual,    // none is given up
};

struct FairleadOptions {
  Triage triage = Triage::kOrdered;
  ListPolicyOptions list{.drop = DropRule::kEarly,
                         .placement = {.units = AcceleratorSlots::Units::kDivided},
                         .throttle = MemoryLimit::kUsualShares,
                         .beyond = MemoryLimit::Beyond::kLight};
};

std::unique_ptr<ScoringRule> MakeFairleadRule(Triage triage);

}  // namespace fairlead
