// Shortest remaining job first.
//
// Assumes     believed latencies are right; what is left of a job is the longest path from the
//             segment to its end, each segment where it is fastest (for a chain: the sum).
// Steps       the key of a segment is that remaining time.
// Guarantees  least mean latency on one accelerator that is preemptible between segments. Long
//             jobs starve under load; deadlines are not looked at.
// Source      textbook; the exact reading for one accelerator is in docs/policies/sjf.md.
// Cost        O(1) per key.
#pragma once

#include <memory>

#include "fairlead/policies/temporal_rule.h"

namespace fairlead {

std::unique_ptr<TemporalRule> MakeShortestJobFirst();

}  // namespace fairlead
