#include "fairlead/plots/box_plot.h"

#include <fmt/format.h>

#include <optional>

#include "fairlead/plots/plot_frame.h"
#include "fairlead/plots/row_frame.h"
#include "fairlead/plots/svg.h"

namespace fairlead {
namespace {

constexpr double kBoxHeight = 15;
constexpr int kMostTicks = 6;

Range RangeOf(const BoxPlot& plot) {
  std::optional<Range> values;
  for (const BoxRow& row : plot.rows) {
    if (row.values.count == 0) continue;
    if (!values.has_value()) values = {row.values.min, row.values.max};
    values = values->With(row.values.min).With(row.values.max);
  }
  return plot.x.RangeFor(values, kMostTicks);
}

std::string TitleOf(const BoxRow& row, const NumberFormat& format) {
  const Distribution& values = row.values;
  return fmt::format("{}: least {}, quarter {}, median {}, three quarters {}, most {}, mean {}",
                     row.name, format(values.min), format(values.q1), format(values.median),
                     format(values.q3), format(values.max), format(values.mean));
}

void DrawRow(SvgWriter& svg, const BoxRow& row, double y, const Scale& x,
             const NumberFormat& format) {
  const Distribution& values = row.values;
  const double half = kBoxHeight / 2;
  svg.OpenGroup({.stroke = row.style.colour, .width = 1.5});
  svg.Line({x(values.min), y}, {x(values.q1), y});
  svg.Line({x(values.q3), y}, {x(values.max), y});
  for (double end : {values.min, values.max}) svg.Line({x(end), y - 4}, {x(end), y + 4});
  svg.Rectangle({x(values.q1), y - half, x(values.q3), y + half},
                {.fill = row.style.colour, .opacity = 0.3});
  svg.Rectangle({x(values.q1), y - half, x(values.q3), y + half}, {.fill = "none"});
  svg.Line({x(values.median), y - half}, {x(values.median), y + half},
           {.stroke = kInk, .width = 2});
  svg.Mark({x(values.mean), y}, MarkShape::kDiamond, 3.4, {.fill = kInk, .stroke = "none"});
  // Over all of it, to be pointed at.
  svg.Rectangle({x(values.min) - 4, y - half, x(values.max) + 4, y + half},
                {.fill = kInk, .stroke = "none", .opacity = 0}, TitleOf(row, format));
  svg.CloseGroup();
}

}  // namespace

std::string DrawBoxPlot(const BoxPlot& plot) {
  std::vector<std::string> names;
  for (const BoxRow& row : plot.rows) names.push_back(row.name);
  const RowFrame frame(names, std::vector<double>(names.size(), kBoxHeight));
  const Scale scale(plot.x.kind, RangeOf(plot), {frame.area().left, frame.area().right});
  SvgWriter svg;
  const double bottom = frame.Draw(svg, plot.x, scale);
  for (std::size_t i = 0; i < plot.rows.size(); ++i) {
    if (plot.rows[i].values.count > 0)
      DrawRow(svg, plot.rows[i], frame.Middle(i), scale, plot.x.format);
  }
  return std::move(svg).Finish(kPlotWidth, bottom + 4, plot.label);
}

}  // namespace fairlead
