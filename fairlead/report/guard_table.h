// What the guard did, under the table of results, where there is one.
//
//   guard  strikes  wrong plan  slow  idle  took over  under fallback, %
//   edf-h        6           0     6     0          2               41.7
#pragma once

#include <span>
#include <string>

#include "fairlead/report/figures.h"

namespace fairlead {

// Means over seeds. Empty where there is no guard.
std::string FormatGuard(std::span<const RunFigures> runs);

}  // namespace fairlead
