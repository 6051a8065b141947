// VTC: virtual counters of the work that each tenant has received; the least served goes first.
//
// Assumes     believed latencies say what service is worth. Weights are the tenants'.
// Steps       1. A segment that starts adds its believed latency, where it is fastest, over the
//                tenant's weight to the tenant's counter.
//             2. A tenant who has no job in the queue and gets one is lifted to the least counter
//             of
//                the tenants that have some; without any, to that of the tenant that left the queue
//                last. preempt=never: a job leaves the queue when it starts; segment: when it ends.
//             3. At a decision jobs that have left the queue go on first, in order of their starts.
//                Of those in the queue the earliest of the tenant with the least counter goes next;
//                the tenant counts as served for the rest of the decision, and so on.
// Guarantees  tenants that always have work waiting receive work in proportion to their weights,
//             up to one segment for each accelerator; idling earns no credit. Nothing about
//             deadlines.
// Source      Sheng et al., Fairness in Serving Large Language Models, OSDI 2024.
// Cost        O(ready log ready) per decision; O(tenants) when a tenant comes back.
#pragma once

#include <cstdint>
#include <memory>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

enum class Preemption : std::uint8_t {
  kNone,     // a job that has been admitted goes on before anybody is admitted
  kSegment,  // it queues again after each segment
};

struct VtcOptions {
  Preemption preemption = Preemption::kNone;
  ListPolicyOptions list;
};

std::unique_ptr<ScoringRule> MakeVirtualTokenCounters(Preemption preemption);

}  // namespace fairlead
