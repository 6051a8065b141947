// Blocks and cores: consecutive layers are grouped into blocks that run on as few units as their
// share of the time to the deadline allows.
//
// Assumes     segments are small (layers); beliefs hold for every number of units, up to a slowdown
//             by co-runners that changes slowly.
// Steps       1. All that runs and all that is ready is looked at by deadline (or arrival). A ready
//                segment whose job has no block under way begins one: the shortest run of segments
//                whose need for units is at most what was free on average lately; all that is left
//                where there is none.
//             2. A block's need is the fewest units on which it takes its part, by work, of the
//                time left, less a margin and the slowdown that finished segments have shown
//                lately. Where none are enough, it is what makes the deadline without these, or
//                what makes it about as fast as it can be. Who comes too late anyway needs the
//                fewest that it can run on, after all others.
//             3. Each gets its need while there are units. What does not run yet starts on what is
//                left if that is less, on the accelerator where it is believed to finish first.
//             4. Units that nobody needs are lent one by one to all who run, and taken back.
//             5. Where segments have several versions, a job runs in the one that is fastest under
//                the pressure that was seen lately.
// Guarantees  a block is never interrupted; while needs fit and beliefs are right deadlines
//             are met. Nothing in overload.
// Source      VELTAIR (Liu et al., ASPLOS'22) and its public scheduler.
// Cost        O(running x units) per decision, O(segments of a network x units x accelerators) for
//             each block that begins, O(log n) per ready segment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fairlead/base/time.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

enum class BlockRule : std::uint8_t { kAdaptive, kLayer, kNetwork };
enum class BlockOrder : std::uint8_t { kArrival, kDeadline };
enum class SpareUnits : std::uint8_t { kLend, kKeep };

struct VeltairOptions {
  BlockRule blocks = BlockRule::kAdaptive;
  BlockOrder order = BlockOrder::kDeadline;
  SpareUnits spare = SpareUnits::kLend;
  double margin = 0.1;                              // of the time left, kept free
  Duration memory = std::chrono::milliseconds{50};  // of the averages
  DropRule drop = DropRule::kNone;
};

std::unique_ptr<SchedulingPolicy> MakeVeltair(std::string name, const VeltairOptions& options);

}  // namespace fairlead
