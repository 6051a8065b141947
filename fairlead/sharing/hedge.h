// hedge: thresholds by no-regret learning, one learner for each agent and budget (thesis, 4.2.1).
//
// Assumes: the mechanism can be copied, so that every threshold's round can be tried out.
// Steps: an agent's learner for its whole tokens draws a threshold by weight. Then, all others'
// thresholds as they are, each of the ten is tried on a copy of the mechanism, and its weight grows
// by exp(rate x reward). The reward is what the agent would be allocated, less the mean utility of
// all accelerators times its tokens of the next round (4.2: saving is punished, which we take for a
// wrong sign; Sign::kSaving adds it; Sign::kNone leaves it out).
// Guarantees: none beyond Hedge's for each budget's rounds alone: what a token saved brings later
// is in the reward only as far as 4.2 has it. Source: Omidi's thesis, Algorithm 2. Its weights are
// multiplied by the mean loss of all rounds so far, again in each round; ours by each round's
// reward once, as Hedge does. Cost per round: agents x 10 rounds of the mechanism.
#pragma once

#include <cstdint>
#include <memory>

#include "fairlead/sharing/thresholds.h"

namespace fairlead {

struct HedgeOptions {
  enum class Sign { kText, kSaving, kNone };
  double rate = 0.5;
  Sign sign = Sign::kNone;
};

// The market outlives it.
std::unique_ptr<ThresholdChooser> MakeHedge(const Market& market, const HedgeOptions& options,
                                            std::uint64_t seed);

}  // namespace fairlead
