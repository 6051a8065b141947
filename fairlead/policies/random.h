// Random: any ready segment on any idle accelerator that can run it.
//
// Assumes     nothing.
// Steps       while accelerators are idle: draw one of the ready segments that were not drawn yet,
//             all equally likely, and one of the idle accelerators that can run it.
// Guarantees  nothing but that an accelerator does not idle while it could run something: the
//             floor that any policy has to beat.
// Source      textbook.
// Cost        a few draws per start while some idle accelerator suits most segments, at most eight
//             per accelerator; O(ready) when one suits only what was not drawn.
#pragma once

#include <memory>
#include <string>

#include "fairlead/base/random.h"
#include "fairlead/policies/list_policy.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct RandomPolicyOptions {
  DropRule drop = DropRule::kNone;
};

std::unique_ptr<SchedulingPolicy> MakeRandomPolicy(std::string name,
                                                   const RandomPolicyOptions& options,
                                                   RandomStream random);

}  // namespace fairlead
