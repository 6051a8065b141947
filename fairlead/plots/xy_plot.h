// Lines and points over two axes, each linear or logarithmic: frontiers, distributions, rooflines.
#pragma once

#include <string>
#include <vector>

#include "fairlead/plots/plot_frame.h"
#include "fairlead/plots/svg.h"

namespace fairlead {

struct XyPoint {
  double x = 0;
  double y = 0;
  std::string title;  // shown when its mark is pointed at
  bool mark = true;   // false: the line only passes here
  double radius = 3.2;
};

// Something that happened at a value of x: a thin line from top to bottom.
struct XyEvent {
  double x = 0;
  std::string title;
};

struct XySeries {
  std::string name;  // empty: not in the legend
  SeriesStyle style;
  std::vector<XyPoint> points;
  bool line = true;   // from point to point, in their order
  bool marks = true;  // on each point that has one
  double line_width = 1.8;
};

struct XyPlot {
  std::string label;  // says in words what it shows
  Axis x;
  Axis y;
  std::vector<XySeries> series;
  double height = 260;  // of the area between the axes
  std::vector<XyEvent> events = {};
};

// As SVG. Points that an axis cannot show (not finite; not above 0 on a logarithmic one) are left
// out; what lies outside a given range is cut off there, marks are left out. Later series lie on
// top.
std::string DrawXyPlot(const XyPlot& plot);

}  // namespace fairlead
