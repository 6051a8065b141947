// greedy: each accelerator goes to the agent to whom it is worth most, by weight.
//
// Assumes: utilities of agents can be compared.
// Steps: for each accelerator the agent with the largest weight x utility; equal ones in turns.
// Guarantees: no other allocation of this round has a larger weighted welfare. Not: fairness of
// any kind, nor the largest welfare over rounds, since what waits longer is worth more later.
// With by=stake the same of what is at stake, where that is reported.
// Source: ours, to see what caring for nobody would bring.
// Cost per round: agents x groups.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct GreedyOptions {
  enum class By { kUtility, kStake };
  By by = By::kUtility;
};

std::unique_ptr<SharingMechanism> MakeGreedy(const Market& market, const GreedyOptions& options);

}  // namespace fairlead
