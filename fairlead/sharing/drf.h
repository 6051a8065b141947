// drf: dominant resource fairness over the time of each kind of accelerator and the memory's
// bandwidth.
//
// Assumes: each kind is a resource, and one accelerator for a round is a task that takes 1 /
// (how many of the kind there are) of it, and the part of the memory's bandwidth that is reported.
// Steps: the agent whose largest share of any resource is smallest for its weight takes the first
// free accelerator of its list that is of use to it; again until nobody wants any (progressive
// filling). Shares are those of all rounds so far, so that fractions even out; who was away
// comes back level with the one that has least, and cannot claim what it left.
// Guarantees: agents with enough work have equal dominant shares for their weights, but for one
// accelerator.
// Source: Ghodsi et al., NSDI 2011; carrying shares over rounds is ours. Rounds of the thesis have
// no memory, and nobody reports bandwidth there; on the engine everybody does.
// Cost per round: agents x accelerators.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

std::unique_ptr<SharingMechanism> MakeDrf(const Market& market);

}  // namespace fairlead
