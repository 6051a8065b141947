// Swarm plots: every value as a mark, in rows. Marks do not overlap; where more crowd together than
// a row has room for, one mark stands for several, has an edge, and says so when pointed at.
#pragma once

#include <string>
#include <vector>

#include "fairlead/plots/axis.h"
#include "fairlead/plots/series_style.h"

namespace fairlead {

struct SwarmPoint {
  double value = 0;   // finite
  std::string title;  // shown when pointed at
};

struct SwarmRow {
  std::string name;
  SeriesStyle style;
  std::vector<SwarmPoint> points;  // in any order
};

struct SwarmPlot {
  std::string label;  // says in words what it shows
  Axis x;             // linear
  std::vector<SwarmRow> rows;
};

std::string DrawSwarmPlot(SwarmPlot plot);

}  // namespace fairlead
