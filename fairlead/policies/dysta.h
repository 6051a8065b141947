// DySta: the shortest job first, corrected a little by slack and by waiting.
//
// Assumes     believed latencies are right; deadlines are known.
// Steps       At each decision in which something can start, the smallest
//               R + 0.01 x ( max(0, D - now - R) + (w / I) / N )
//             goes first: R work left, D deadline, w waiting time, I isolated time, N jobs in the
//             system; times in seconds, R and I sums of believed latencies, each segment where it
//             is fastest.
// Guarantees  with one accelerator, the exact reading in docs/policies/dysta.md. Long jobs starve
//             under load. The unit matters: the last term has none.
// Source      Fan et al., Sparse-DySta, MICRO 2023, and its public code, without sparsity: a
//             network's latencies do not depend on its input here.
// Cost        that of dysta_queue.h.
#pragma once

#include <memory>
#include <string>

#include "fairlead/base/random.h"
#include "fairlead/policies/list_policy.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

std::unique_ptr<SchedulingPolicy> MakeDysta(std::string name, const ListPolicyOptions& options,
                                            RandomStream random);

}  // namespace fairlead
