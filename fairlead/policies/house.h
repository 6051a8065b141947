// fairlead: the house policy. Promises are kept; where not all can be, those whose breach costs
// least are given up, as few as it takes; what is left is shared.
//
// Assumes     as `edf-share`. A request costs the machine its dominant share: of all accelerators'
//             time or of the memory's bandwidth, whichever is more.
// Steps       A ready segment's place is decided by, in this order:
//             1. Contract: what no contract covers stands behind everything (the frame's doing).
//             2. Entitlement: a tenant without a contract is covered for a part of the machine, as
//                if it counted four times among all; what comes beyond stands behind the others,
//                but for what is owed as a floor.
//             3. Feasibility: a job that would miss if the rest of it took twice its believed
//                latency stands behind those that would not.
//             4. Class: best effort that is owed its floor (floor_credits.h); promises that are
//                behind their target (a window promise also when two further failures break it);
//                promises with less than three points to spare, and windows alone with failures in
//                them; promises that are given up (sacrifice.h; never with triage=equal); best
//                effort and the rest.
//             5. Claim: the distance to the target (for best effort: to all, by weight), in steps
//                of a hundredth, and, where requests fail, the commitment of edf-share. Among what
//                is given up: the order of triage, and of equals those that have started. Windows
//                alone, and those close to their breach: the failures that are left to it.
//             6. Slack; there the deadline.
//             A segment that would take more than three equal parts of the memory's bandwidth is
//             throttled to that while others run, or to what they leave. One that asks for no more
//             than one part starts also where the limit on memory is reached.
//             An accelerator of several units is divided among segments in this order, each with
//             the fewest units that take up four fifths of its slack (units=divided).
//             With drop=early (the default), what can no longer make it is given up.
// Guarantees  docs/policies/fairlead.md.
// Source      ours; the division of units follows Planaria's. The constants were chosen on seeds
//             from 101 on; the page has the sweeps.
// Cost        O(ready + agreements) per decision, and O(ready x units) on divided accelerators;
//             O(agreements log agreements) when agreements, accelerators or periods change.
#pragma once

#include <cstdint>
#include <memory>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

// What becomes of promises when not all can be kept.
enum class Triage : std::uint8_t {
  kOrdered,  // those whose breach costs least are given up
  kEqual,    // all fall short alike
};

struct HouseOptions {
  Triage triage = Triage::kOrdered;
  ListPolicyOptions list{.drop = DropRule::kEarly,
                         .placement = {.units = AcceleratorSlots::Units::kDivided},
                         .throttle = MemoryLimit::kUsualShares,
                         .beyond = MemoryLimit::Beyond::kLight};
};

std::unique_ptr<ScoringRule> MakeHouseRule(Triage triage);

}  // namespace fairlead
