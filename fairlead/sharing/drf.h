// drf: dominant resource fairness over the time of each kind of accelerator.
//
// Assumes: each kind is a resource, and one accelerator for a round is a task that takes 1 /
// (how many of the kind there are) of it.
// Steps: the agent whose largest share of any kind is smallest for its weight takes the first
// free accelerator of its list that is of use to it; again until nobody wants any (progressive
// filling). Shares are those of all rounds so far, so that fractions even out; who was away
// comes back level with the one that has least, and cannot claim what it left.
// Guarantees: agents with enough work have equal dominant shares for their weights, but for one
// accelerator.
// Source: Ghodsi et al., NSDI 2011; carrying shares over rounds is ours. Memory bandwidth is a
// resource of the engine's worlds; rounds of the thesis have none, so it is not one here.
// Cost per round: agents x accelerators.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

std::unique_ptr<SharingMechanism> MakeDrf(const Market& market);

}  // namespace fairlead
