// VTC: virtual counters of the work that each tenant has received; the least served goes first.
//
// Assumes     believed latencies say what service is worth. Weights are the tenants'.
// Steps       1. A segment that starts adds its believed latency, where it is fastest, over the
//                tenant's weight to the tenant's counter.
//             2. A tenant who has no job in the queue and gets one is lifted (virtual_counters.h).
//                preempt=never: a job leaves the queue when it starts; segment: when it ends.
//             3. At a decision jobs that have left the queue go on first, in order of their starts.
//                Of those in the queue the earliest of the tenant with the least counter goes next;
//                the tenant counts as served for the rest of the decision, and so on.
// Guarantees  tenants that always have work waiting receive work in proportion to their weights,
//             up to one segment for each accelerator; idling earns no credit. Nothing about
//             deadlines.
// Source      Sheng et al., Fairness in Serving Large Language Models, OSDI 2024.
// Cost        that of vtc_queue.h.
#pragma once

#include <memory>
#include <string>

#include "fairlead/base/random.h"
#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/vtc_queue.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct VtcOptions {
  Preemption preemption = Preemption::kNone;
  ListPolicyOptions list;
};

std::unique_ptr<SchedulingPolicy> MakeVtc(std::string name, const VtcOptions& options,
                                          RandomStream random);

}  // namespace fairlead
