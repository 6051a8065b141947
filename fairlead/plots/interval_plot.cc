#include "fairlead/plots/interval_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fairlead/plots/plot_frame.h"
#include "fairlead/plots/row_frame.h"
#include "fairlead/plots/svg.h"

namespace fairlead {
namespace {

constexpr double kBarHeight = 13;
constexpr int kMostTicks = 5;

Range IntervalOf(const Estimate& estimate) {
  const double half = estimate.half_width.value_or(0);
  return {estimate.mean - half, estimate.mean + half};
}

Range RangeOf(const IntervalPlot& plot) {
  if (plot.x.range.has_value()) return *plot.x.range;
  Range values{0, 0};
  for (const IntervalRow& row : plot.rows) {
    if (row.estimate.count == 0) continue;
    const Range interval = IntervalOf(row.estimate);
    values = values.With(interval.low).With(interval.high);
  }
  if (values.low == values.high) return {0, 1};
  return NiceRange(ScaleKind::kLinear, values, kMostTicks);
}

void DrawRow(SvgWriter& svg, const IntervalRow& row, double y, const Scale& x,
             const NumberFormat& format) {
  const Range interval = IntervalOf(row.estimate);
  const double mean = x(row.estimate.mean);
  std::string title = fmt::format("{}: {}", row.name, format(row.estimate.mean));
  if (row.estimate.half_width.has_value())
    title += fmt::format(", from {} to {}", format(interval.low), format(interval.high));
  svg.Rectangle(
      {std::min(x(0), mean), y - kBarHeight / 2, std::max(x(0), mean), y + kBarHeight / 2},
      {.fill = row.style.colour, .opacity = 0.45}, title);
  if (row.estimate.half_width.has_value()) {
    svg.OpenGroup({.stroke = kInk, .width = 1.5});
    svg.Line({x(interval.low), y}, {x(interval.high), y});
    for (double end : {interval.low, interval.high}) svg.Line({x(end), y - 4}, {x(end), y + 4});
    svg.CloseGroup();
  }
  svg.Mark({mean, y}, row.style.mark, 3.2,
           {.fill = row.style.colour, .stroke = row.style.colour, .width = 1.5}, title);
}

}  // namespace

std::string DrawIntervalPlot(const IntervalPlot& plot) {
  std::vector<std::string> names;
  for (const IntervalRow& row : plot.rows) names.push_back(row.name);
  const std::vector<double> heights(names.size(), kBarHeight);
  const RowFrame frame(std::move(names), heights);
  const Scale scale(ScaleKind::kLinear, RangeOf(plot), {frame.area().left, frame.area().right});
  SvgWriter svg;
  const double bottom = frame.Draw(svg, plot.x, scale);
  for (std::size_t i = 0; i < plot.rows.size(); ++i) {
    if (plot.rows[i].estimate.count > 0)
      DrawRow(svg, plot.rows[i], frame.Middle(i), scale, plot.x.format);
  }
  return std::move(svg).Finish(kPlotWidth, bottom + 4, plot.label);
}

}  // namespace fairlead
