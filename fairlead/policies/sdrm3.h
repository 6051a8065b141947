// SDRM3: urgency plus starvation, the largest sum first.
//
// Assumes     believed latencies are right; deadlines are known.
// Steps       At each decision in which something can start, the largest
//               min(1, R / (D - now)) + w / L
//             goes first: R work left, D deadline, w waiting time, L the latency of the segment. R
//             is a sum of believed latencies, each segment where it is fastest; so is L. Of a late
//             job the quotient is negative; late=urgent: 1.
// Guarantees  with one accelerator, the exact reading in docs/policies/sdrm3.md.
//             Whoever waits runs in the end: starvation grows without bound. It outweighs urgency
//             after one latency of waiting, so that under load the rule mostly takes turns.
// Source      Kim et al., DREAM (ASPLOS 2023; earlier SDRM3), in the form of the public code of
//             Sparse-DySta (Fan et al., MICRO 2023).
// Cost        O(distinct segments) per decision, and O(log ready) for each one that has waited
//             nearly as long for its latency as those that start.
#pragma once

#include <memory>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

struct Sdrm3Options {
  LateRule late = LateRule::kLiteral;
  ListPolicyOptions list;
};

std::unique_ptr<ScoringRule> MakeSdrm3(LateRule late);

}  // namespace fairlead
