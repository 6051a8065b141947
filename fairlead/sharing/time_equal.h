// time-equal: every accelerator's round is divided among all agents by weight.
//
// Assumes: an accelerator can be divided in time within a round at no cost.
// Steps: none. Each agent has weight / all weights of every accelerator, whether or not it has
// use for it.
// Guarantees: exactly what sharing incentive is measured against: exclusive use of one's share.
// Source: the thesis's "time equal", chapter 3.2.
// Cost per round: nothing.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

std::unique_ptr<SharingMechanism> MakeTimeEqual();

}  // namespace fairlead
