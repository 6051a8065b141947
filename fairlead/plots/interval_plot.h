// Means with their confidence intervals, in rows.
#pragma once

#include <string>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/plots/axis.h"
#include "fairlead/plots/series_style.h"

namespace fairlead {

struct IntervalRow {
  std::string name;
  SeriesStyle style;
  Estimate estimate;  // a count of 0: an empty row
};

struct IntervalPlot {
  std::string label;  // says in words what it shows
  Axis x;             // linear; the range holds 0 unless it is given
  std::vector<IntervalRow> rows;
};

// A bar from 0 to the mean, a mark there, and a line over the interval.
std::string DrawIntervalPlot(const IntervalPlot& plot);

}  // namespace fairlead
