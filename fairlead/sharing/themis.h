// themis: the smallest worst finish-time ratio of each round, an integer program.
//
// Assumes: an agent's rate on a kind does not change; only whether it has work does.
// Steps: rho is the time that an agent's work takes with what it has, over the time that it
// takes with 1/n of all accelerators (or with its weight's share: rho=weighted). How much work
// there is cancels out, so the program is over counts of accelerators per agent and kind; it is
// solved once for each set of agents with work, and alike agents take its places in turns. Where
// several divisions have the same worst rho any will do; tie=lexicographic wants the fewest at
// the worst, then the best worst of the others, and so on. Which accelerators of a kind: the
// most useful.
// Guarantees: the optimum by exact search (count_search); by CBC (solver=cbc, and for the
// lexicographic tie) the optimum or after a second (limit) the best found, with the gap. A limit
// that strikes makes results depend on the machine. Not: anything by weight, unless asked for.
// With `offered` below 1 (the original's fairness knob f is 1 less that) a round is offered to the
// agents alone that are worst off so far: what they were entitled to while they had work, over what
// they were given. What these leave goes to where it is of most use.
// Source: Mahajan et al., NSDI 2020, as the thesis has it (chapter 5.1): no auction, no
// payments.
// Cost per round: agents x groups x log of it; a program for each new set of agents.
#pragma once

#include <memory>

#include "fairlead/sharing/count_search.h"
#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct ThemisOptions {
  enum class Rho { kEqual, kWeighted };
  Rho rho = Rho::kEqual;
  // The share of agents with work to whom a round is offered: those whose rho is worst so far.
  double offered = 1;
};

// The market outlives the mechanism.
std::unique_ptr<SharingMechanism> MakeThemis(const Market& market, const ThemisOptions& options,
                                             CountSolver solver);

}  // namespace fairlead
