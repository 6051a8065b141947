#include "fairlead/plots/swarm_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "fairlead/plots/plot_frame.h"
#include "fairlead/plots/row_frame.h"
#include "fairlead/plots/svg.h"
#include "fairlead/plots/swarm_layout.h"

namespace fairlead {
namespace {

constexpr double kDiameter = 5;
constexpr std::size_t kMostAcross = 10;       // marks one above another
constexpr std::size_t kMostAcrossOfMany = 3;  // the same, to keep a figure of thousands small
constexpr std::size_t kMany = 6000;
constexpr int kMostTicks = 6;

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

}  // namespace

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

}  // namespace fairlead
