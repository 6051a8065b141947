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

}  // namespace fairlead
