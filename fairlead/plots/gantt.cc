#include "fairlead/plots/gantt.h"

#include <algorithm>

#include "fairlead/base/check.h"
#include "fairlead/plots/row_frame.h"

namespace fairlead {
namespace {

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

}  // namespace

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
