// most-token-first: accelerators for tokens, to the richest first (thesis, Algorithm 1).
//
// Assumes: utilities are comparable with thresholds, so normalised to [0, 1).
// Steps: the agent with the largest budget takes the first free accelerator of its list that is
// worth its threshold or more, for one token; again until nobody with a budget wants any. What
// was spent is handed out again by weight. What is left over costs nothing: agents take it in
// turns, and whose turn it is stays from round to round.
// Guarantees: the sum of budgets never changes; who takes less than its weight's share of paid
// accelerators grows richer until it comes first. Not: that an accelerator goes to whom it is
// worth most, or that a round is Pareto efficient.
// Source: Omidi's thesis, chapter 4. The text has no tie rule, no number of tokens, does not say
// whether a fraction of a token buys an accelerator, and hands out what is left whether or not
// it is of use: options here.
// Cost per round: agents x groups to read lists, accelerators x log(agents) to hand out.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct MostTokenFirstOptions {
  enum class Price { kAnyPositive, kWholeToken };  // what budget buys: a debt may be left, or not
  enum class Ties { kRotate, kLowest };  // of equal budgets: who is first changes by round
  enum class Useless { kTaken, kIdle };  // what is worth nothing: taken like the rest, or not

  std::size_t tokens = 4;  // for each accelerator
  Price price = Price::kAnyPositive;
  Ties ties = Ties::kRotate;
  Useless useless = Useless::kTaken;
};

// The market outlives the mechanism.
Result<std::unique_ptr<SharingMechanism>> MakeMostTokenFirst(const Market& market,
                                                             const MostTokenFirstOptions& options);

}  // namespace fairlead
