// gandiva-fair: stride scheduling by tickets, with trading as an option.
//
// Assumes: an agent without anything to do on an accelerator does not ask for it.
// Steps: on each accelerator, of the agents that have use for it the one with the smallest pass
// has it, and its pass there grows by 1 / weight (scope=each, the thesis's words). Or one pass
// for all accelerators, the agent with the smallest choosing from its list (scope=pool), which
// is stronger. Who comes back starts at the pass of the last one served, so that it cannot claim
// what it left. Trading: the agent that gains most from a fast kind buys a fast accelerator of
// the one that gains least, for as many slow ones as the second highest gain says; fractions are
// owed to the seller.
// Guarantees: agents with enough work have accelerator time by weight; nothing of use stays
// idle. Not: that an accelerator goes where much waits.
// Source: Chaudhary et al., EuroSys 2020, and the thesis, chapter 5.1. Gangs and migration have
// no place in rounds of single accelerators.
// Cost per round: agents x accelerators.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct GandivaFairOptions {
  enum class Scope { kEach, kPool };
  enum class Trading { kNone, kSecondPrice };
  Scope scope = Scope::kEach;
  Trading trading = Trading::kNone;
};

std::unique_ptr<SharingMechanism> MakeGandivaFair(const Market& market,
                                                  const GandivaFairOptions& options);

}  // namespace fairlead
