// What all figures share: their width, axes with grid and ticks, and the legend.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fairlead/plots/axis.h"
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

// Figures with a row for each policy or accelerator and one axis below them all. Names stand to the
// left of their rows while they are short, and above them when one is long: never cut for want of
// room beside the figure.

class RowFrame {
 public:
  // Heights are those of the rows' contents.
  RowFrame(std::vector<std::string> names, std::span<const double> heights);

  const Box& area() const { return area_; }
  double Middle(std::size_t row) const { return middles_[row]; }

  // Axis, grid and names. What is drawn later lies on top of the grid. Returns where free space
  // begins below.
  double Draw(SvgWriter& svg, const Axis& axis, const Scale& scale) const;

 private:
  std::vector<std::string> names_;
  std::vector<double> middles_;
  std::vector<double> tops_;
  bool names_above_ = false;
  Box area_;
};

// Where values start and end on the axis of a figure with rows.
Range RowPositions(std::span<const std::string> names);

}  // namespace fairlead
