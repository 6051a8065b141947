// How many of m things each agent has this round, so that over rounds each has its weight's share.
//
// Every agent gains m x weight / all weights a round, exactly, in fractions of one thing; it has
// the whole things of what it gained, and those with the largest remainders have what that leaves.
// No agent is ever a whole thing ahead of or, but for equal remainders, behind its share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/sharing/market.h"

namespace fairlead {

class Quotas {
 public:
  explicit Quotas(const Market& market);

  // The counts of the next round; they add up to the market's accelerators.
  std::span<const int> Next();

 private:
  const Market* market_;
  std::vector<std::int64_t>
      gained_;  // and not had; in parts of one, of which total_weight make one
  std::vector<int> counts_;
  std::vector<int> order_;
};

}  // namespace fairlead
