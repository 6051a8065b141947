#include "fairlead/plots/row_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/plots/plot_frame.h"
#include "fairlead/plots/svg.h"

namespace fairlead {
namespace {

bool IsEmpty(const BoxRow& row) { return row.values.count == 0; }
bool IsEmpty(const IntervalRow& row) { return row.estimate.count == 0; }

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

constexpr double kBarHeight = 13;
constexpr int kMostTicksOfBars = 5;

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
  return NiceRange(ScaleKind::kLinear, values, kMostTicksOfBars);
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

constexpr double kTouch = 1e-9;  // rounding must not push apart what just touches

constexpr double kDiameter = 5;
constexpr std::size_t kMostAcross = 10;       // marks one above another
constexpr std::size_t kMostAcrossOfMany = 3;  // the same, to keep a figure of thousands small
constexpr std::size_t kMany = 6000;

struct PlacedMark {
  Point at;  // y from the middle of the row
  std::string title;
  bool several = false;
};

Range RangeOf(const SwarmPlot& plot) {
  if (plot.x.range.has_value()) return *plot.x.range;
  Range values{0, 0};
  for (const SwarmRow& row : plot.rows) {
    for (const SwarmPoint& point : row.points) values = values.With(point.value);
  }
  return NiceRange(ScaleKind::kLinear, values, kMostTicks);
}

std::string TitleOf(std::span<const SwarmPoint> points, const NumberFormat& format) {
  if (points.size() == 1) return points.front().title;
  return fmt::format("{} of them, from {} to {}", points.size(), format(points.front().value),
                     format(points.back().value));
}

// The points of a row are sorted.
std::vector<PlacedMark> PlaceMarks(const SwarmRow& row, const Scale& x, std::size_t most_across,
                                   const NumberFormat& format) {
  std::vector<double> positions;
  for (const SwarmPoint& point : row.points) positions.push_back(x(point.value));
  std::vector<PlacedMark> marks;
  std::vector<double> centers;
  for (const SwarmGroup& group : GroupCrowded(positions, kDiameter, most_across)) {
    const std::span<const SwarmPoint> points(&row.points[group.first], group.count);
    centers.push_back(positions[group.first + group.count / 2]);
    marks.push_back({.title = TitleOf(points, format), .several = group.count > 1});
  }
  const std::vector<double> offsets = SwarmOffsets(centers, kDiameter);
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i].at = {centers[i], offsets[i]};
  return marks;
}

double HeightOf(std::span<const PlacedMark> marks) {
  double half = 0;
  for (const PlacedMark& mark : marks) half = std::max(half, std::abs(mark.at.y));
  return std::max(15.0, 2 * half + kDiameter);
}

void DrawMarks(SvgWriter& svg, const SwarmRow& row, std::span<const PlacedMark> marks,
               double middle) {
  svg.OpenGroup({.fill = row.style.colour});
  for (const PlacedMark& mark : marks) {
    svg.Mark({mark.at.x, middle + mark.at.y}, MarkShape::kCircle, kDiameter / 2 - 0.2,
             mark.several ? Paint{.stroke = kInk, .width = 1} : Paint{}, mark.title);
  }
  svg.CloseGroup();
}

constexpr double kLaneHeight = 13;

// The bars of one row, and where they lie in it.
struct GanttRow {
  std::vector<GanttBar> bars;
  std::vector<std::size_t> lanes;
  std::size_t lane_count = 1;
};

std::vector<GanttRow> RowsOf(const GanttChart& chart) {
  std::vector<GanttRow> rows(chart.rows.size());
  for (const GanttBar& bar : chart.bars) rows[bar.row].bars.push_back(bar);
  for (GanttRow& row : rows) {
    std::ranges::stable_sort(row.bars, {}, &GanttBar::start);
    row.lanes = LanesOf(row.bars);
    for (std::size_t lane : row.lanes) row.lane_count = std::max(row.lane_count, lane + 1);
  }
  return rows;
}

void DrawRow(SvgWriter& svg, const GanttRow& row, double middle, const Scale& x) {
  const double height = kLaneHeight * std::min(2.0, static_cast<double>(row.lane_count));
  const double lane_height = height / static_cast<double>(row.lane_count);
  for (std::size_t i = 0; i < row.bars.size(); ++i) {
    const GanttBar& bar = row.bars[i];
    const double left = x(std::max(bar.start, x.values().low));
    const double right = x(std::min(bar.end, x.values().high));
    if (right <= left) continue;
    const double top = middle - height / 2 + static_cast<double>(row.lanes[i]) * lane_height;
    svg.Rectangle({left, top, right, top + lane_height}, {.fill = StyleOf(bar.series).colour},
                  bar.title);
  }
}

// Rows of one height; those without values are empty. There are a RangeOf, an IsEmpty and a
// DrawRow.
template <typename Plot>
std::string DrawRows(const Plot& plot, double height) {
  std::vector<std::string> names;
  for (const auto& row : plot.rows) names.push_back(row.name);
  const RowFrame frame(names, std::vector<double>(names.size(), height));
  const Scale scale(plot.x.kind, RangeOf(plot), {frame.area().left, frame.area().right});
  SvgWriter svg;
  const double bottom = frame.Draw(svg, plot.x, scale);
  for (std::size_t i = 0; i < plot.rows.size(); ++i) {
    if (!IsEmpty(plot.rows[i])) DrawRow(svg, plot.rows[i], frame.Middle(i), scale, plot.x.format);
  }
  return std::move(svg).Finish(kPlotWidth, bottom + 4, plot.label);
}

}  // namespace

std::string DrawBoxPlot(const BoxPlot& plot) { return DrawRows(plot, kBoxHeight); }

std::string DrawIntervalPlot(const IntervalPlot& plot) { return DrawRows(plot, kBarHeight); }

std::vector<double> SwarmOffsets(std::span<const double> positions, double diameter) {
  CHECK(std::ranges::is_sorted(positions));
  std::vector<double> offsets;
  std::size_t near = 0;  // the first mark that could touch
  for (std::size_t i = 0; i < positions.size(); ++i) {
    while (positions[i] - positions[near] >= diameter) ++near;
    std::vector<double> candidates = {0};
    for (std::size_t j = near; j < i; ++j) {
      const double along = positions[i] - positions[j];
      const double across = std::sqrt(diameter * diameter - along * along);
      candidates.push_back(offsets[j] + across);
      candidates.push_back(offsets[j] - across);
    }
    const auto free = [&](double offset) {
      for (std::size_t j = near; j < i; ++j) {
        if (std::hypot(positions[i] - positions[j], offset - offsets[j]) < diameter - kTouch)
          return false;
      }
      return true;
    };
    std::ranges::sort(candidates, [](double a, double b) {
      return std::abs(a) != std::abs(b) ? std::abs(a) < std::abs(b) : a > b;
    });
    offsets.push_back(*std::ranges::find_if(candidates, free));
  }
  return offsets;
}

std::vector<SwarmGroup> GroupCrowded(std::span<const double> positions, double diameter,
                                     std::size_t most) {
  CHECK(most > 0);
  std::vector<SwarmGroup> groups;
  std::size_t first = 0;
  while (first < positions.size()) {
    std::size_t end = first;
    while (end < positions.size() && positions[end] - positions[first] < diameter) ++end;
    const std::size_t marks = std::min(end - first, most);
    for (std::size_t m = 0; m < marks; ++m) {
      const std::size_t from = first + (end - first) * m / marks;
      const std::size_t to = first + (end - first) * (m + 1) / marks;
      groups.push_back({from, to - from});
    }
    first = end;
  }
  return groups;
}

std::string DrawSwarmPlot(SwarmPlot plot) {
  std::vector<std::string> names;
  std::size_t points = 0;
  for (SwarmRow& row : plot.rows) {
    names.push_back(row.name);
    points += row.points.size();
    std::ranges::stable_sort(row.points, {}, &SwarmPoint::value);
  }
  const std::size_t most_across = points > kMany ? kMostAcrossOfMany : kMostAcross;
  const Scale scale(ScaleKind::kLinear, RangeOf(plot), RowPositions(names));
  std::vector<std::vector<PlacedMark>> marks;
  std::vector<double> heights;
  for (const SwarmRow& row : plot.rows) {
    marks.push_back(PlaceMarks(row, scale, most_across, plot.x.format));
    heights.push_back(HeightOf(marks.back()));
  }
  const RowFrame frame(std::move(names), heights);
  SvgWriter svg;
  const double bottom = frame.Draw(svg, plot.x, scale);
  svg.Line({scale(0), frame.area().top}, {scale(0), frame.area().bottom},
           {.stroke = kInk, .width = 1.2});
  for (std::size_t i = 0; i < plot.rows.size(); ++i)
    DrawMarks(svg, plot.rows[i], marks[i], frame.Middle(i));
  return std::move(svg).Finish(kPlotWidth, bottom + 4, plot.label);
}

std::vector<std::size_t> LanesOf(std::span<const GanttBar> bars) {
  std::vector<double> free_from;  // by lane
  std::vector<std::size_t> lanes;
  for (const GanttBar& bar : bars) {
    auto lane = std::ranges::find_if(free_from, [&](double time) { return time <= bar.start; });
    if (lane == free_from.end()) lane = free_from.insert(lane, 0);
    *lane = bar.end;
    lanes.push_back(static_cast<std::size_t>(lane - free_from.begin()));
  }
  return lanes;
}

std::string DrawGantt(const GanttChart& chart) {
  CHECK(chart.time.range.has_value());
  const std::vector<GanttRow> rows = RowsOf(chart);
  std::vector<double> heights;
  for (const GanttRow& row : rows)
    heights.push_back(kLaneHeight * std::min(2.0, static_cast<double>(row.lane_count)));
  const RowFrame frame(chart.rows, heights);
  const Scale scale(chart.time.kind, *chart.time.range, {frame.area().left, frame.area().right});
  SvgWriter svg;
  const double bottom = frame.Draw(svg, chart.time, scale);
  svg.OpenGroup({.stroke = "#fff", .width = 0.3});
  for (std::size_t i = 0; i < rows.size(); ++i) DrawRow(svg, rows[i], frame.Middle(i), scale);
  svg.CloseGroup();
  std::vector<bool> drawn(chart.series.size());
  for (const GanttBar& bar : chart.bars) drawn[bar.series] = true;
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    if (drawn[i]) legend.push_back({.name = chart.series[i], .style = StyleOf(i), .box = true});
  const double legend_height = DrawLegend(svg, {8, bottom + 4}, kPlotWidth - 16, legend);
  return std::move(svg).Finish(kPlotWidth, bottom + 8 + legend_height, chart.label);
}

}  // namespace fairlead
