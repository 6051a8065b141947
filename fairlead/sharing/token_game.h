// token-game: tokens for the big accelerators alone, passed on to those who go without.
//
// Assumes: two sorts of accelerators, and every big one is alike to an agent (the source's "super
// cores"; the thesis makes its point of departing from that).
// Steps: the big kind is the one on which agents' rates add up to most. Agents with a token whose
// best free big accelerator is worth their threshold ask, one accelerator at a time in turns; each
// costs a token. The tokens paid go one by one, in turns by weight, to agents that had no big one
// in this round; where all had, to all. Small accelerators, and big ones that nobody paid for, are
// taken in turns for nothing.
// Guarantees: the number of tokens never changes; who goes without is paid by those who do not.
// Not: shares by weight. Those who are served most often pay the others, whatever they weigh.
// Source: Zahedi, Fan, Lee, TACO 2018, from its abstract and the thesis's words (6.2): lots decide
// there, turns here.
// Cost per round: agents x groups to read lists, accelerators x agents to hand out.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct TokenGameOptions {
  std::size_t tokens = 2;  // for each big accelerator
};

// The market outlives the mechanism.
std::unique_ptr<SharingMechanism> MakeTokenGame(const Market& market,
                                                const TokenGameOptions& options);

}  // namespace fairlead
