// Promises that policies gave up for a while, under the table of results and as a table of the
// report, where there are any.
//
//   promises given up  agreements  of the run, %  requests  hits, %
//   fairlead                  3.5           41.2      1204     20.1
#pragma once

#include <span>
#include <string>

#include "fairlead/report/figures.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/summary.h"

namespace fairlead {

// Means over seeds; how long is over the agreements that were given up. Empty where nobody was.
std::string FormatSacrifices(std::span<const RunFigures> runs);

// Agreement by agreement, of each policy those that were given up longest. No rows where nobody
// was.
HtmlTable SacrificeTable(std::span<const PolicyRuns> policies);

}  // namespace fairlead
