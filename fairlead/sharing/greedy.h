// greedy: each accelerator goes to the agent to whom it is worth most, by weight.
//
// Assumes: utilities of agents can be compared.
// Steps: for each accelerator the agent with the largest weight x utility; equal ones in turns.
// Guarantees: no other allocation of this round has a larger weighted welfare. Not: fairness of
// any kind, nor the largest welfare over rounds, since what waits longer is worth more later.
// Source: ours, to see what caring for nobody would bring.
// Cost per round: agents x groups.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

std::unique_ptr<SharingMechanism> MakeGreedy(const Market& market);

}  // namespace fairlead
