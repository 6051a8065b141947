// How promises of windows fared, under the table of results and as a table of the report, where
// there are any.
//
//   windows   agreements  kept, %  violated  worst, %
//   edf-h             12     83.3      41.5      55.0
#pragma once

#include <span>
#include <string>

#include "fairlead/report/figures.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/summary.h"

namespace fairlead {

// Means over seeds; `kept` are agreements without a violated window, `worst` is the lowest hit rate
// of any window. Empty where nobody was promised one.
std::string FormatWindows(std::span<const RunFigures> runs);

// Agreement by agreement, of each policy those with the most violations. No rows where nobody was
// promised a window.
HtmlTable WindowTable(std::span<const PolicyRuns> policies);

}  // namespace fairlead
