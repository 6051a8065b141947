// Trading of fast accelerators for slow ones at the second price, for gandiva-fair.
//
// Only where there are two kinds or more: between the kinds that come first and last in the sum of
// rates. An agent's gain is how much faster the fast kind is for it.
#pragma once

#include <vector>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

class Trading {
 public:
  explicit Trading(const Market& market);

  // Swaps holders until no two agents want to trade. Both sides gain in rates, as they are
  // reported, by each trade: the buyer pays less than its gain, the seller has more than its own.
  void Trade(const Reports& reports, Allocation& allocation);

 private:
  struct Kinds {
    int fast = 0;
    int slow = 0;
  };
  Kinds Extremes(const std::vector<double>& rates) const;
  std::vector<int> Held(const Allocation& allocation, int agent, int kind) const;

  const Market& market_;
  std::vector<int> kind_of_;    // each accelerator's
  std::vector<double> credit_;  // what sellers are owed, in slow accelerators
};

}  // namespace fairlead
