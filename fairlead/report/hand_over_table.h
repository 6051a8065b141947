// What going on with jobs took, under the table of results, where it took any time.
//
//   hand-overs, %  boundaries  taking over  moving  switching  moves  take-overs
//   edf-h                 0.4          1.2     3.1        0.0    812        2031
#pragma once

#include <span>
#include <string>

#include "fairlead/report/figures.h"

namespace fairlead {

// Shares of the accelerators' time and counts, means over seeds. Empty where it took no time.
std::string FormatGoingOn(std::span<const RunFigures> runs);

}  // namespace fairlead
