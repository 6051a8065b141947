// nash: the largest product of what agents have had, each to the power of its weight.
//
// Assumes: utilities of one agent can be added over rounds; those of two need not be comparable.
// Steps: for each accelerator, the agent for which weight x utility / (all it has had so far) is
// largest; what it has had counts at once.
// Guarantees: where utilities are drawn alike from round to round, the sum of weight x
// log(utility had) tends to its largest value (proportional fairness), whatever an agent's unit.
// Not: the exact maximum of a single round, which is NP-hard where accelerators cannot be
// divided.
// Source: maximum Nash welfare; the rule is proportional fair scheduling's (Kushner and Whiting,
// 2004).
// Cost per round: agents x accelerators.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

std::unique_ptr<SharingMechanism> MakeNash(const Market& market);

}  // namespace fairlead
