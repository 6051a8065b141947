// What all figures share: their width, axes with grid and ticks, and the legend.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/plots/svg.h"

namespace fairlead {

// Axes of figures: from values to places on paper, and where the ticks go.
enum class ScaleKind : std::uint8_t { kLinear, kLog };

struct Range {
  double low = 0;
  double high = 1;

  // Grown so that it holds the value.
  Range With(double value) const;
  friend bool operator==(const Range&, const Range&) = default;
};

struct Tick {
  double value = 0;
  bool labelled = true;
};

// Values of a range onto positions of a line. Values outside are placed outside.
class Scale {
 public:
  // Finite, low < high; of a logarithmic scale both above 0.
  Scale(ScaleKind kind, Range values, Range positions);

  double operator()(double value) const;
  const Range& values() const { return values_; }

  // In order, within the range, at multiples of 1, 2 or 5 times a power of ten. At most `most`
  // have labels, and two or more of them on all but the oddest ranges.
  std::vector<Tick> Ticks(int most) const;

 private:
  ScaleKind kind_;
  Range values_;
  Range positions_;
};

// The range to draw for values of a range: its ends on ticks where the scale is linear, a little
// apart where it is logarithmic; never empty.
Range NiceRange(ScaleKind kind, Range values, int most_ticks);

// Spellings of numbers on ticks and in titles.
std::string FormatCompact(double value);     // 0.25, 1500 as "1.5k", 2e9 as "2G"
std::string FormatPercent(double fraction);  // 0.85 as "85 %"
std::string FormatTime(double nanoseconds);  // 1.5e6 as "1.5 ms"
using NumberFormat = std::function<std::string(double)>;

struct Axis {
  std::string label;
  ScaleKind kind = ScaleKind::kLinear;
  std::optional<Range> range;  // none: as the values need
  std::optional<double> most;  // no value can be above: the range ends there at the latest
  NumberFormat format = FormatCompact;

  // What to draw for these values; none: for no values at all.
  Range RangeFor(const std::optional<Range>& values, int most_ticks) const;
};

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
