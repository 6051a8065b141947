// Admission on arrival: what is predicted to be late is refused at once, the rest is served in
// order.
//
// Assumes     believed latencies are right; a network runs whole on one accelerator, all networks
//             are resident on all accelerators that can run them.
// Steps       Each accelerator (a group of one in the source) has a clock: when all that was
//             admitted to it is predicted to be done.
//             1. A request that arrives is offered to the accelerator with the smallest clock among
//                those that can run its whole network, ties to the first. No other is tried.
//             2. Its predicted finish is the later of now and the clock, plus the latencies of all
//                its segments there. If that plus the overhead is after its deadline it is rejected
//                as overload; else the clock moves to the predicted finish, without the overhead.
//             3. Accelerators serve what was admitted to them first come, first served.
//             A segment that its accelerator can't run, or whose accelerator is away, goes to the
//             one with the smallest clock that can. A network that no accelerator can run whole is
//             predicted by its shortest path from the smallest clock on.
// Guarantees  while predictions are right, no admitted request misses its deadline. A slow
//             accelerator that has been idle longest is tried, and a faster one is not.
// Source      AlpaServe (Li et al., OSDI'23), its controller and simulator. Its other half, which
//             network goes where and in how many pipeline stages, is not here.
// Cost        O(accelerators) per decision, O(kinds + accelerators of one kind) per request,
//             O(log n) per segment.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "fairlead/base/time.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct AlpaServeOptions {
  // Of serving a request, beside its latency; the source's constant.
  Duration overhead = std::chrono::milliseconds{11};
  DropRule drop = DropRule::kNone;  // of what was admitted
};

std::unique_ptr<SchedulingPolicy> MakeAlpaServe(std::string name, const AlpaServeOptions& options);

}  // namespace fairlead
