// Nothing is started that would be late: latest start first, in the largest batch that still makes
// it.
//
// Assumes     believed latencies, of batches too, are right; networks are resident on every
//             accelerator that can run them.
// Steps       The latest start of a ready segment is its deadline, less the margin, less the
//             shortest time from it to the end of its network.
//             1. Requests whose latest start has passed are given up: rejected before they ran,
//                dropped after.
//             2. Segments are walked by latest start. For each the accelerator is found where it
//                finishes first, counting what runs there and what this walk has foreseen there.
//                If it would make its deadline and the accelerator is usable, it starts, in the
//                largest batch of the same segment that lets it: the others have later deadlines,
//                since a batch is filled in the same order. If the accelerator is busy, it waits,
//                and is foreseen there.
//             3. One that would be late waits: what is ahead of it may be given up, and 1 gives it
//                up when no accelerator that is there could make it.
//             With memory=1.2 nothing more starts once what runs asks for 1.2 times the bandwidth.
//             Usable is an idle accelerator; with ahead=10ms also one that is believed to be free
//             within that time, once. The policy asks to be woken for it.
// Guarantees  while beliefs are right, no segment starts that makes its job late by itself.
//             Tenants, weights and priorities are not looked at.
// Source      Clockwork (Gujarati et al., OSDI'20).
// Cost        O(log n) per ready segment, O(kinds) for each one walked, and the size of a batch
//             for each start. A walk ends when no accelerator is usable that anything ready can
//             run on.
#pragma once

#include <memory>
#include <string>

#include "fairlead/base/time.h"
#include "fairlead/policies/memory_limit.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct ClockworkOptions {
  Duration ahead{};   // an accelerator that is free so soon is given its next work now
  Duration margin{};  // before each deadline, kept free
  double memory = MemoryLimit::kUsual;  // times the bandwidth
};

std::unique_ptr<SchedulingPolicy> MakeClockwork(std::string name, const ClockworkOptions& options);

}  // namespace fairlead
