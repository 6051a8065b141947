// Requests beyond their contracts under the table of results, where there are any.
//
//   beyond contracts  requests  hits, %
//   edf-h                29691     12.0
//
// They count in `requests` and `hit rate` above, and in nothing that is about agreements.
#pragma once

#include <span>
#include <string>

#include "fairlead/report/figures.h"

namespace fairlead {

// Means over seeds. Empty where everything was covered.
std::string FormatContracts(std::span<const RunFigures> runs);

}  // namespace fairlead
