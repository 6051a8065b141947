// edf-share: shares of hits that are equally far from what was promised, without wasting work.
//
// Assumes     as `deficit`; and that running side by side slows segments down to half their speed
//             at most.
// Steps       1. Feasible first: a job that would miss if the rest of it took twice its believed
//                latency waits behind all others. It runs only where nothing else wants to.
//             2. Then the largest claim: the deficit of its agreement (target minus share of hits),
//                plus a commitment that grows with the work already done, up to what four outcomes
//                would change. So what was started is finished, unless somebody is worse off by
//                more than that.
//             3. Of equal claims the least slack.
//             With drop=early (the default), what can no longer make it is given up.
// Guarantees  where the system can serve all agreements alike, their distances to target converge;
//             no agreement starves, since its deficit grows until it is served. None about single
//             requests, and none in a system that cannot serve all alike because some deadlines
//             cannot be met at all: those are given up early, and cost the others nothing.
// Source      ours. The constants were tuned on seeds 101 and 102 of
//             scenarios/fairness-simba-eyeriss.yaml;
//             docs/notebook/2026-11-15-edf-share-commitment.md has the sweep. Results are reported
//             on seeds 1 to 10.
// Cost        O(ready + agreements) per decision.
#pragma once

#include <memory>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

inline constexpr ListPolicyOptions kEdfShareDefaults{.drop = DropRule::kEarly, .placement = {}};

std::unique_ptr<ScoringRule> MakeEdfShare();

}  // namespace fairlead
