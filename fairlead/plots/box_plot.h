// Box plots: distributions in rows, to be compared at a glance.
//
// The box reaches from the first to the third quartile with a line at the median, the whiskers from
// the least to the greatest value, and a diamond stands at the mean.
#pragma once

#include <string>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/plots/axis.h"
#include "fairlead/plots/series_style.h"

namespace fairlead {

struct BoxRow {
  std::string name;
  SeriesStyle style;
  Distribution values;  // a row without values is empty
};

struct BoxPlot {
  std::string label;  // says in words what it shows
  Axis x;
  std::vector<BoxRow> rows;
};

std::string DrawBoxPlot(const BoxPlot& plot);

}  // namespace fairlead
