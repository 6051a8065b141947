// Each request to the accelerator where all that wait are served soonest on average, among those
// that keep its deadline.
//
// Assumes     believed latencies are right, and what waits at an accelerator is served in order.
// Steps       1. A request that arrives is tried on every accelerator that can run it: when it
// would
//                be done there, behind what runs and what is due before it; and how much later
//                those behind it would be.
//             2. Of those where it keeps its deadline (of all, if there are none), it goes where
//             the
//                sum of its own expected latency and the delays of those behind it is least, ties
//                to the earlier finish, then to the first. That is where the average expected
//                latency of all that wait is least.
//             3. Accelerators serve what they have by earliest deadline (order=arrival: first come,
//                first served; then nobody is behind, and the rule is that of the earliest finish).
// Guarantees  while beliefs are right and nothing arrives, who was given a place that keeps its
//             deadline keeps it, unless somebody due earlier comes.
// Source      as far as its description goes: SLO-MAEL, a baseline of Kim et al. (ICCD'21) and Seo
//             et al. (TACO'21). docs/policies/slo-mael.md
// Cost        O(all that wait + accelerators) per request, O(log n) per segment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fairlead/policies/early_drop.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

enum class MaelOrder : std::uint8_t { kDeadline, kArrival };

struct SloMaelOptions {
  MaelOrder order = MaelOrder::kDeadline;
  DropRule drop = DropRule::kNone;
};

std::unique_ptr<SchedulingPolicy> MakeSloMael(std::string name, const SloMaelOptions& options);

}  // namespace fairlead
