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

// What it starts and cannot finish is lost, so it gives up early unless asked otherwise.
inline constexpr ListPolicyOptions kDeficitDefaults{.drop = DropRule::kEarly, .placement = {}};

std::unique_ptr<ScoringRule> MakeLargestDeficitFirst();

// How far an agreement lies below its promise, in steps that ranks can hold; negative above it.
std::int32_t DeficitSteps(const SystemView& view, AgreementId agreement);

// What remains until a segment must have started, in nanoseconds: negative when that has passed.
double SlackOf(const SystemView& view, const Job& job, SegmentId segment);

}  // namespace fairlead
