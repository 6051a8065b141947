// most-token-first-plus: accelerators for tokens, to the best bid; who bids pays what it says.
//
// Assumes: utilities are comparable between agents, as most-token-first assumes of one agent's and
// its threshold.
// Steps: an agent's bid for its first free accelerator is what that is worth to it, times how its
// budget compares with the one it began with. The best bid has it, and pays its worth in
// thousandths of a token; again until nobody has use for any. What was spent is handed out by
// weight. Where agents report what is at stake (work that expires), that is bid and paid in place
// of the worth, and bids count by weight: what is not served now is lost, and budgets cannot make
// up for it later. Budgets may fall below nothing: a poor agent's bids count less and less, and are
// never refused.
// Guarantees: the sum of budgets never changes, to the last grain; nothing that is of use stays
// idle; where all is worth the same to all and nothing expires, accelerators follow weights; who
// has had less than its weight's share of utility bids higher until it has it. Not: that nobody
// gains by misreporting, although saying more than is true costs as much more. Source: ours.
// Most-token-first lets the rich have first what they have hardly any use for, and charges as much
// for it as for a full round. Thresholds mend that only by what they leave unpaid. Cost per round:
// agents x groups to read lists, accelerators x log(agents) to hand out.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct MostTokenFirstPlusOptions {
  std::size_t tokens = 16;  // for each accelerator
  double sway = 0.02;       // of budgets on bids
  bool stakes = true;       // bid what is at stake, where that is reported
};

// The market outlives the mechanism.
Result<std::unique_ptr<SharingMechanism>> MakeMostTokenFirstPlus(
    const Market& market, const MostTokenFirstPlusOptions& options);

}  // namespace fairlead
