// Themis's partial allocation auction over counts: the largest product of what places value, then
// hidden payments.
//
// Each place's value is its worth (1 / rho). Accelerators go one by one to where the product grows
// most; where somebody still has nothing, to the one with nothing that gains most. A place then
// keeps only the part of its accelerators that the others' values with it are of theirs without it
// (rounded down): that is the payment, and why it does not pay to overstate. What is taken from
// them is left over. Source: Mahajan et al., NSDI 2020; offers to the worst places alone are
// themis's. Not here: leases longer than a round.
#pragma once

#include "fairlead/sharing/count_search.h"

namespace fairlead {

CountSolution AuctionCounts(const CountProgram& program);

}  // namespace fairlead
