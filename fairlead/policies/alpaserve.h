// Admission on arrival: what is predicted to be late is refused at once, the rest is served in
// order.
//
// Assumes     believed latencies are right; a network runs whole on one accelerator.
// Steps       Each accelerator (a group of one in the source) has a clock: when all that was
//             admitted to it is predicted to be done.
//             1. A request that arrives is offered to the accelerator with the smallest clock among
//                those that hold its network, ties to the faster, then to the first. No other is
//                tried. replicas=in-time: those hold it that would meet the deadline if they were
//                idle; anywhere: all that can run the whole network.
//             2. Its predicted finish is the later of now and the clock, plus the latencies of all
//                its segments there. If that plus the overhead is after its deadline it is rejected
//                as overload; else the clock moves to the predicted finish, without the overhead.
//             3. Accelerators serve what was admitted to them first come, first served.
//             4. clocks=corrected: at each decision clocks begin at what is believed to run and
//             what
//                was admitted and not served; predicted: only 2 moves them.
//             A segment that its accelerator can't run, or whose accelerator is away, goes to the
//             one with the smallest clock that can. A network that no accelerator can run whole is
//             predicted by its shortest path from the smallest clock on.
// Guarantees  while predictions are right, no admitted request misses its deadline. One that is
//             refused might have been served by an accelerator that was not asked.
// Source      AlpaServe (Li et al., OSDI'23), its controller and simulator. Its other half, which
//             network goes where and in how many pipeline stages, is not here.
// Cost        O(accelerators) per decision, O(kinds + accelerators of one kind) per request,
//             O(log n) per segment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fairlead/base/time.h"
#include "fairlead/policies/admission_clocks.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

// Which accelerators hold a network.
enum class Replicas : std::uint8_t {
  kInTime,    // those that would meet the request's deadline if they were idle; else as kAnywhere
  kAnywhere,  // all that can run it
};

struct AlpaServeOptions {
  Duration overhead{};  // of serving a request, beside its latency; 11 ms in the source's cluster
  Replicas replicas = Replicas::kInTime;
  ClockRule clocks = ClockRule::kCorrected;
  DropRule drop = DropRule::kNone;  // of what was admitted
};

std::unique_ptr<SchedulingPolicy> MakeAlpaServe(std::string name, const AlpaServeOptions& options);

}  // namespace fairlead
