// What all figures share: their width, axes with grid and ticks, and the legend.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fairlead/plots/axis.h"
#include "fairlead/plots/series_style.h"
#include "fairlead/plots/svg.h"

namespace fairlead {

// Narrow, so that the text can still be read when a phone scales the figure to its screen.
inline constexpr double kPlotWidth = 440;
inline constexpr Paint kGridPaint{.stroke = kInk, .width = 1, .opacity = 0.15};
inline constexpr Paint kAxisPaint{.stroke = kInk, .width = 1, .opacity = 0.6};

// Ticks, grid lines and labels below the area; the range is the scale's. `AxisBelowHeight` is what
// it needs there.
void DrawAxisBelow(SvgWriter& svg, const Box& area, const Axis& axis, const Scale& scale);
double AxisBelowHeight(const Axis& axis);

// Likewise to the left of the area.
void DrawAxisLeft(SvgWriter& svg, const Box& area, const Axis& axis, const Scale& scale);
double AxisLeftWidth(const Axis& axis, const Scale& scale);

struct LegendEntry {
  std::string name;
  SeriesStyle style;
  bool line = true;  // with a piece of the line
  bool mark = true;
  bool box = false;  // a patch of the colour instead
};

// In as many columns as fit, from `top` downwards. Returns its height.
double DrawLegend(SvgWriter& svg, Point top_left, double width,
                  std::span<const LegendEntry> entries);

}  // namespace fairlead
