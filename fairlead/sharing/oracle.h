// oracle: what no mechanism can exceed, knowing all arrivals in advance.
//
// A linear program over the work of each agent on each kind in the whole run: no more than arrived,
// no more than the kind's rounds hold. It divides time at will and lets work wait for the
// accelerator that suits it, so it is an upper bound on weighted welfare, and on that of divisions
// in which nobody has less than `floors`.
#pragma once

#include <span>

#include "fairlead/sharing/round_model.h"

namespace fairlead {

// The largest weighted welfare, as WeightedWelfare has it of AgentOutcome::utility. `floors`: the
// least of each agent's, in its own utility, all of it within reach; empty: none.
Result<double> OracleWelfare(const RoundWorld& world, const RoundArrivals& arrivals,
                             std::span<const double> floors);

// The same where inferences must be done in time: an upper bound on what any holders of whole
// rounds serve of what was `placed` (RoundsOutcome) before each accelerator, added up with `values`
// of an inference of each agent. Queues are separate, and there is a deadline.
//
// Each round of an accelerator has a price. Given prices, agents do not touch each other: the best
// rounds to buy for one agent follow by dynamic programming over the last one bought, where work
// that a full round leaves over counts as if the last round had begun with all that was in time.
// The sum of all prices and of what agents gain bounds every division, whatever the prices; they
// are moved towards one buyer for each round. Cost: `steps` x agents x accelerators x rounds x
// deadline.
double DeadlineBound(const RoundWorld& world, std::span<const int> placed,
                     std::span<const double> values, int steps = 100);

}  // namespace fairlead
