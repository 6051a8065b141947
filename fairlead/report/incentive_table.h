// Whether sharing was worth it to tenants: what each had under a policy, over what it had under
// static-partition on the same requests, which stands for exclusive use of one's share.
//
//   phi against static-partition  of tenants >= 1, %    min   mean
//   edf-share                                   88.0  0.912  1.204
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/report/figures.h"

namespace fairlead {

struct IncentiveFigures {
  std::string against;      // the policy that stands for exclusive use
  std::vector<double> phi;  // of each tenant: its hits, over those
  double gaining = 0;       // the share of tenants with phi of 1 or more
};

// None where no static-partition ran with the seed, or it is the run itself.
std::optional<IncentiveFigures> IncentivesOf(const RunFigures& run,
                                             std::span<const RunFigures> runs);

// Means over seeds, the least of all. Empty where there is nothing to compare.
std::string FormatIncentives(std::span<const RunFigures> runs);

}  // namespace fairlead
