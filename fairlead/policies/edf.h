// Earliest deadline first.
//
// Assumes     deadlines are known; costs are not looked at.
// Steps       the key of a segment is the absolute deadline of its job.
// Guarantees  optimal on one preemptible accelerator while all deadlines can be met (Liu and
//             Layland, 1973). Past saturation it serves what is already late and collapses, unless
//             drop=early.
// Source      the "EDF" of EDF-H in Russo, Blanco et al. (arXiv 2403.00766).
// Cost        O(1) per key.
#pragma once

#include <memory>

#include "fairlead/policies/temporal_rule.h"

namespace fairlead {

std::unique_ptr<TemporalRule> MakeEarliestDeadlineFirst();

}  // namespace fairlead
