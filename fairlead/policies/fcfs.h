// First come, first served.
//
// Assumes     nothing about costs; fairness is to serve in order of arrival.
// Steps       the key of a segment is the arrival of its job.
// Guarantees  no job waits for one that arrived later, except where the placement lets the later
//             one use an accelerator that the earlier one did not want. Nothing about deadlines.
// Source      the "FCFS" of FCFS-H in Russo, Blanco et al. (arXiv 2403.00766).
// Cost        O(1) per key.
#pragma once

#include <memory>

#include "fairlead/policies/temporal_rule.h"

namespace fairlead {

std::unique_ptr<TemporalRule> MakeFirstComeFirstServed();

}  // namespace fairlead
