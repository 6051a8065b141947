// The simplest fair rule: whoever lies furthest below what was promised goes first.
//
// Assumes     the share of hits so far says how an agreement is served; the rest of a job takes its
//             believed latency where that is shortest.
// Steps       The agreement with the largest deficit (target minus share of hits, in steps of a
//             thousandth) goes first; of equal ones the job with the least slack. Best effort has a
//             target of 100 %.
// Guarantees  shares of hits converge where the system can serve all alike. It starts jobs that it
//             cannot finish, since deficit says nothing about slack: with drop=early they are given
//             up, but what they ran is lost.
// Source      ours, as the baseline of edf-share; deficits drive the reward of Russo, Blanco et al.
//             (arXiv 2403.00766).
// Cost        O(ready) per decision.
#pragma once

#include <memory>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

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
inline constexpr ListPolicyOptions kEdfShareDefaults{.drop = DropRule::kEarly, .placement = {}};

std::unique_ptr<ScoringRule> MakeEdfShare();

// What it starts and cannot finish is lost, so it gives up early unless asked otherwise.
inline constexpr ListPolicyOptions kDeficitDefaults{.drop = DropRule::kEarly, .placement = {}};

std::unique_ptr<ScoringRule> MakeLargestDeficitFirst();

// How far an agreement lies below its promise, in steps that ranks can hold; negative above it.
std::int32_t DeficitSteps(const SystemView& view, AgreementId agreement);

// What remains until a segment must have started, in nanoseconds: negative when that has passed.
double SlackOf(const SystemView& view, const Job& job, SegmentId segment);

}  // namespace fairlead
