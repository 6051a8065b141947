// Kinds of accelerators under the table of results, where there are several: how busy each was
// under each policy, and what share of the work prefers which.
//
//   busy, %  systolic  eyeriss-v2
//   edf-h        99.8        97.2
//   Work at least 10 % faster on one kind: systolic 64 %, eyeriss-v2 29 %; on none 7 %.
#pragma once

#include <span>
#include <string>

#include "fairlead/report/figures.h"

namespace fairlead {

// Means over seeds. Empty where there are fewer than two kinds.
std::string FormatKinds(std::span<const RunFigures> runs);

}  // namespace fairlead
