// Draws lines over two axes as an SVG file, for tools/compare: CSV in, SVG out.
//
//   draw_lines LABEL X-LABEL Y-LABEL < points.csv > lines.svg
//
// Columns `series,x,y,half`: the points of a series in their order, y a share from 0 to 1, half of
// its interval or nothing. A series called `bound` is drawn as one.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/csv.h"
#include "fairlead/plots/xy_plot.h"

namespace fairlead {
namespace {

constexpr double kFarthest = 1e9;

XySeries& SeriesOf(std::string_view name, std::vector<XySeries>& series) {
  const auto known = std::ranges::find(series, name, &XySeries::name);
  if (known != series.end()) return *known;
  const SeriesStyle style = name == "bound" ? kBoundStyle : StyleOf(series.size());
  series.push_back({.name = std::string(name), .style = style, .points = {}});
  return series.back();
}

// From low to high, in the colour of its series and not in the legend.
XySeries Bar(const XySeries& of, const XyPoint& at, double half) {
  return {.name = "",
          .style = {.colour = of.style.colour, .dash = "", .mark = of.style.mark},
          .points = {{at.x, at.y - half, "", false}, {at.x, at.y + half, "", false}},
          .marks = false,
          .line_width = 1};
}

Result<std::string> Draw(std::span<char* const> labels, const std::string& text) {
  ASSIGN_OR_RETURN(const CsvTable table,
                   CsvTable::Parse("points", text, {"series", "x", "y", "half"}, {}));
  XyPlot plot{.label = labels[0],
              .x = {.label = labels[1]},
              .y = {.label = labels[2], .range = Range{0, 1}, .format = FormatPercent},
              .series = {}};
  std::vector<XySeries> bars;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ASSIGN_OR_RETURN(const auto name, table.Name(row, "series"));
    ASSIGN_OR_RETURN(const double x, table.Number(row, "x", -kFarthest, kFarthest));
    ASSIGN_OR_RETURN(const double y, table.Number(row, "y", -kFarthest, kFarthest));
    XySeries& series = SeriesOf(name, plot.series);
    series.points.push_back({x, y, fmt::format("{} at {:.4g}: {}", name, x, FormatPercent(y))});
    if (table.Text(row, "half").empty()) continue;
    ASSIGN_OR_RETURN(const double half, table.Number(row, "half", 0, kFarthest));
    bars.push_back(Bar(series, series.points.back(), half));
  }
  plot.series.insert(plot.series.begin(), bars.begin(), bars.end());
  // A page around it would say what language this is, and what its ink and paper are.
  std::string svg = DrawXyPlot(plot);
  svg.insert(svg.find(' '),
             R"( xmlns="http://www.w3.org/2000/svg" style="background:#fff;color:#222")");
  return svg + "\n";
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: draw_lines LABEL X-LABEL Y-LABEL < points.csv > lines.svg\n";
    return 2;
  }
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const auto svg = fairlead::Draw(std::span(argv + 1, 3), text);
  if (!svg.has_value()) {
    std::cerr << svg.error().message << "\n";
    return 2;
  }
  std::cout << *svg;
  return 0;
}
