// PREMA: tokens grow with priority and waiting; among those with enough tokens the shortest runs.
//
// Assumes     believed latencies are right; priorities are 1, 3 or 9 (others work too).
// Steps       At each decision in which something can start:
//             1. A job seen for the first time gets as many tokens as its priority. The others get
//                priority x waiting time / isolated time more. Both times are sums of believed
//                latencies, each segment where it is fastest.
//             2. The threshold is 9, 3 or 1: the largest not above the most tokens of any job,
//                newcomers not counted; 1 when there is none.
//             3. Jobs with at least that many tokens are candidates; the one with the least work
//                left goes first. When no candidate is left the rule is applied to the rest.
// Guarantees  with one accelerator, the exact reading in docs/policies/prema-h.md. Whoever waits
//             becomes a candidate in the end; among candidates long jobs still wait for short ones.
//             Nothing about deadlines. Tokens are never spent.
// Source      Choi and Rhu, HPCA 2020; the rule as in the public code of Sparse-DySta (Fan et al.,
//             MICRO 2023). Checkpoints and kills inside a segment are left out.
// Cost        that of prema_queue.h.
#pragma once

#include <memory>
#include <string>

#include "fairlead/base/random.h"
#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/prema_queue.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct PremaOptions {
  TokenRule tokens = TokenRule::kSinceLastUpdate;
  ListPolicyOptions list;
};

std::unique_ptr<SchedulingPolicy> MakePrema(std::string name, const PremaOptions& options,
                                            RandomStream random);

}  // namespace fairlead
