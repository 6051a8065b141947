// A sharing mechanism as a scheduling policy: it says who holds which accelerators for a round,
// the earliest deadline goes first on what a tenant holds.
//
// Assumes     weights say what tenants are worth; rounds are long against segments.
// Steps       1. When a round is over, tenants report what each accelerator would do for them in
//                the next one: their waiting work, at the speed of its kind, as a part of the
//                round. The mechanism names a holder for each accelerator that is online.
//             2. A tenant's ready segments go by deadline to the idle accelerators that it holds,
//                each to the one where it is believed to finish first.
//             3. What is idle then is lent (lend=yes): any ready segment, by deadline, wherever it
//             is
//                believed to finish first. With lend=no only what has waited twenty rounds is let
//                in, so that nothing waits for ever for an accelerator that its tenant never holds.
// Guarantees  what the mechanism does, by rounds; nothing by deadline. A segment that runs when its
//             round ends goes on. The mechanism begins anew when a tenant joins, or an accelerator
//             joins or leaves: tokens and turns are forgotten then.
// Source      the mechanism's; the rest is ours.
// Cost        per decision O(accelerators) and O(log n) per ready segment; per round O(ready) and
//             the mechanism's.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fairlead/policies/early_drop.h"
#include "fairlead/scheduling/policy.h"
#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct MechanismPolicyOptions {
  enum class Lend { kYes, kNo };
  Duration round = std::chrono::milliseconds(10);  // 100us at least
  Lend lend = Lend::kYes;
  DropRule drop = DropRule::kNone;
};

// Makes a mechanism for a market, which outlives it. It must not fail, and must name holders.
using MechanismMaker = std::function<std::unique_ptr<SharingMechanism>(const Market&)>;

std::unique_ptr<SchedulingPolicy> MakeMechanismPolicy(std::string name, MechanismMaker make,
                                                      const MechanismPolicyOptions& options);

}  // namespace fairlead
