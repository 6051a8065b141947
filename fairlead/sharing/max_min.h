// max-min: the largest worst rate, each agent's measured against its share (Gavel's program).
//
// Assumes: an agent's rate on a kind does not change; only whether it has work does.
// Steps: a linear program over the time of kinds finds the division in which the smallest rate,
// divided by what the agent's weight's share of every kind would bring, is largest; among those,
// the one with the largest sum. It is solved once for each set of agents with work. Each round
// an agent has the whole accelerators of what it has been granted and did not have yet.
// Guarantees: over rounds with the same agents, the program's rates. Not: anything about queues,
// which it does not look at but to choose among accelerators of one kind.
// Source: Narayanan et al., OSDI 2020; Gavel gives accelerators by X / (time received), we by X
// - received, which is never further off than one accelerator.
// Cost per round: agents x groups x log of it; a linear program for each new set of agents.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

std::unique_ptr<SharingMechanism> MakeMaxMin(const Market& market);

}  // namespace fairlead
