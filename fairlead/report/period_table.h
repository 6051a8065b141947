// How the periods fared for which shares are promised, under the table of results and as a table of
// the report, where there are any.
//
//   periods   agreements  judged  kept, %  worst, %
//   edf-h             12     288     93.8      71.2
#pragma once

#include <span>
#include <string>

#include "fairlead/report/figures.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/summary.h"

namespace fairlead {

// Means over seeds; `worst` is the lowest hit rate of any period. Empty where none was judged.
std::string FormatPeriods(std::span<const RunFigures> runs);

// Agreement by agreement, of each policy those that kept the smallest share. No rows where no
// period was judged.
HtmlTable PeriodTable(std::span<const PolicyRuns> policies);

}  // namespace fairlead
