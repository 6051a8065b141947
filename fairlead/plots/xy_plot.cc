#include "fairlead/plots/xy_plot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "fairlead/plots/plot_frame.h"
#include "fairlead/plots/svg.h"

namespace fairlead {
namespace {

constexpr int kMostTicks = 6;

bool Shows(const Axis& axis, double value) {
  return std::isfinite(value) && (axis.kind == ScaleKind::kLinear || value > 0);
}

bool Shows(const XyPlot& plot, const XyPoint& point) {
  return Shows(plot.x, point.x) && Shows(plot.y, point.y);
}

Range RangeOf(const XyPlot& plot, const Axis& axis, double XyPoint::*coordinate) {
  std::optional<Range> values;
  for (const XySeries& series : plot.series) {
    for (const XyPoint& point : series.points) {
      if (!Shows(plot, point)) continue;
      const double value = point.*coordinate;
      values = values.has_value() ? values->With(value) : Range{value, value};
    }
  }
  return axis.RangeFor(values, kMostTicks);
}

bool Holds(const Range& range, double value) {
  const double slack = (range.high - range.low) * 1e-9;
  return value >= range.low - slack && value <= range.high + slack;
}

// The part of a line inside a box (Liang and Barsky); none if there is none.
struct Stretch {
  Point from;
  Point to;
};
std::optional<Stretch> Clip(Point from, Point to, const Box& box) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  double enter = 0;
  double leave = 1;
  const auto side = [&](double direction, double distance) {
    if (direction == 0) return distance >= 0;
    const double at = distance / direction;
    if (direction < 0) enter = std::max(enter, at);
    if (direction > 0) leave = std::min(leave, at);
    return enter <= leave;
  };
  if (!side(-dx, from.x - box.left) || !side(dx, box.right - from.x) ||
      !side(-dy, from.y - box.top) || !side(dy, box.bottom - from.y))
    return std::nullopt;
  return Stretch{{from.x + enter * dx, from.y + enter * dy},
                 {from.x + leave * dx, from.y + leave * dy}};
}

// A line through the points, in pieces where it leaves the box.
void DrawLine(SvgWriter& svg, const std::vector<Point>& points, const Box& box,
              const Paint& paint) {
  std::vector<Point> piece;
  const auto flush = [&] {
    if (piece.size() > 1) svg.Polyline(piece, paint);
    piece.clear();
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto stretch = Clip(points[i - 1], points[i], box);
    if (!stretch.has_value()) {
      flush();
      continue;
    }
    const bool continues =
        !piece.empty() && piece.back().x == stretch->from.x && piece.back().y == stretch->from.y;
    if (!continues) {
      flush();
      piece.push_back(stretch->from);
    }
    piece.push_back(stretch->to);
  }
  flush();
}

struct Frame {
  Box area;
  Scale x;
  Scale y;
};

void DrawSeries(SvgWriter& svg, const XyPlot& plot, const XySeries& series, const Frame& frame) {
  std::vector<Point> places;
  svg.OpenGroup({.fill = series.style.colour, .stroke = series.style.colour, .width = 1});
  for (const XyPoint& point : series.points) {
    if (Shows(plot, point)) places.push_back({frame.x(point.x), frame.y(point.y)});
  }
  if (series.line) {
    DrawLine(svg, places, frame.area, {.width = series.line_width, .dash = series.style.dash});
  }
  if (series.marks) {
    for (const XyPoint& point : series.points) {
      if (!point.mark || !Shows(plot, point) || !Holds(frame.x.values(), point.x) ||
          !Holds(frame.y.values(), point.y))
        continue;
      svg.Mark({frame.x(point.x), frame.y(point.y)}, series.style.mark, point.radius, {},
               point.title);
    }
  }
  svg.CloseGroup();
}

// A mark at the top of each line says on demand what it is.
void DrawEvents(SvgWriter& svg, const XyPlot& plot, const Frame& frame) {
  if (plot.events.empty()) return;
  svg.OpenGroup({.fill = kInk, .stroke = kInk, .width = 1});
  for (const XyEvent& event : plot.events) {
    if (!Shows(plot.x, event.x) || !Holds(frame.x.values(), event.x)) continue;
    const double at = frame.x(event.x);
    const std::vector<Point> line = {{at, frame.area.top}, {at, frame.area.bottom}};
    svg.Polyline(line, {.width = 0.8, .dash = "3 2"});
    svg.Mark({at, frame.area.top}, MarkShape::kTriangleDown, 3.2, {}, event.title);
  }
  svg.CloseGroup();
}

std::vector<LegendEntry> LegendOf(const XyPlot& plot) {
  std::vector<LegendEntry> entries;
  for (const XySeries& series : plot.series) {
    if (series.name.empty()) continue;
    entries.push_back(
        {.name = series.name, .style = series.style, .line = series.line, .mark = series.marks});
  }
  return entries;
}

}  // namespace

std::string DrawXyPlot(const XyPlot& plot) {
  const Range x_range = RangeOf(plot, plot.x, &XyPoint::x);
  const Range y_range = RangeOf(plot, plot.y, &XyPoint::y);
  const Scale any_y(plot.y.kind, y_range, {0, 1});  // labels do not depend on the place
  const Box area{AxisLeftWidth(plot.y, any_y), 8, kPlotWidth - 10, 8 + plot.height};
  const Frame frame{area, Scale(plot.x.kind, x_range, {area.left, area.right}),
                    Scale(plot.y.kind, y_range, {area.bottom, area.top})};
  SvgWriter svg;
  DrawAxisBelow(svg, area, plot.x, frame.x);
  DrawAxisLeft(svg, area, plot.y, frame.y);
  DrawEvents(svg, plot, frame);
  for (const XySeries& series : plot.series) DrawSeries(svg, plot, series, frame);
  const double below = area.bottom + AxisBelowHeight(plot.x) + 4;
  const double legend = DrawLegend(svg, {8, below}, kPlotWidth - 16, LegendOf(plot));
  return std::move(svg).Finish(kPlotWidth, below + legend + 4, plot.label);
}

}  // namespace fairlead
