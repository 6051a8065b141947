// Least laxity first.
//
// Assumes     deadlines and believed latencies are right.
// Steps       the key of a segment is the latest instant at which it could start and still make
//             the deadline: deadline minus the longest path from it to the end of its network,
//             each segment where it is fastest. Laxity is that minus now, so the order is that of
//             laxity at every instant.
// Guarantees  optimal on one preemptible accelerator while all deadlines can be met (Mok, 1983).
//             Negative laxity comes first: past saturation use drop=early.
// Source      textbook.
// Cost        O(1) per key.
#pragma once

#include <memory>

#include "fairlead/policies/temporal_rule.h"

namespace fairlead {

std::unique_ptr<TemporalRule> MakeLeastLaxityFirst();

}  // namespace fairlead
