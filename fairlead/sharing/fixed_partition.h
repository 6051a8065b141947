// fixed-partition: each agent has the same accelerators in every round.
//
// Assumes: nothing; utilities are not looked at.
// Steps, once: accelerators are dealt in their order, each to the agent that has least for its
// weight, so that of each kind everybody has about its share.
// Guarantees: no agent is touched by another. Not: anything to an agent whose share is below one
// accelerator (with more agents than accelerators some never have any).
// Source: the thesis's M_1, chapter 3.2, which does not say who has which. The scheduling policy
// static-partition is another thing: it gives tenants accelerators of an engine, event by event.
// Cost per round: a copy.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

std::unique_ptr<SharingMechanism> MakeFixedPartition(const Market& market);

}  // namespace fairlead
