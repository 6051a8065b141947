// VTC: virtual counters of the work that each tenant has received; the least served goes first.
//
// Assumes     believed latencies say what service is worth. Weights are the tenants'.
// Steps       1. A segment that starts adds its believed latency, where it is fastest, over the
//                tenant's weight to the tenant's counter.
//             2. A tenant whose first job arrives is lifted to the least counter of the tenants
//                that have jobs; without any, to that of the tenant that had one last.
//             3. At a decision, of the waiting segments one of the tenant with the least counter
//                goes first, the earliest arrival of that tenant; the tenant counts as served for
//                the rest of the decision, and so on.
// Guarantees  tenants that always have work waiting receive work in proportion to their weights,
//             up to one segment for each accelerator; idling earns no credit. Nothing about
//             deadlines.
// Source      Sheng et al., Fairness in Serving Large Language Models, OSDI 2024.
// Cost        O(ready log ready) per decision; O(tenants) when a tenant comes back.
#pragma once

#include <memory>

#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

std::unique_ptr<ScoringRule> MakeVirtualTokenCounters();

}  // namespace fairlead
