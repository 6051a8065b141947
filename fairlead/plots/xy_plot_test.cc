#include "fairlead/plots/xy_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace fairlead {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int Count(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

XySeries Series(std::string name, std::vector<XyPoint> points) {
  return {.name = std::move(name), .style = StyleOf(0), .points = std::move(points)};
}

TEST(XyPlot, DrawsLinesMarksTitlesAndLegend) {
  const std::string svg =
      DrawXyPlot({.label = "the \"roof\"",
                  .x = {.label = "intensity <FLOP/byte>", .kind = ScaleKind::kLog},
                  .y = {.label = "speed", .kind = ScaleKind::kLog},
                  .series = {Series("<simba>", {{1, 10, "a & b"}, {100, 1000, ""}})}});
  EXPECT_THAT(svg, HasSubstr("aria-label=\"the &quot;roof&quot;\""));
  EXPECT_THAT(svg, HasSubstr("intensity &lt;FLOP/byte&gt;"));
  EXPECT_THAT(svg, HasSubstr(">&lt;simba&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_EQ(Count(svg, "<circle"), 3);  // one in the legend
}

TEST(XyPlot, LeavesOutWhatAnAxisCannotShow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string svg =
      DrawXyPlot({.label = "l",
                  .x = {.kind = ScaleKind::kLog},
                  .y = {},
                  .series = {Series("", {{0, 1}, {-1, 2}, {nan, 1}, {1, nan}, {10, 2}})}});
  EXPECT_EQ(Count(svg, "<circle"), 1);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(XyPlot, CutsLinesAtAGivenRange) {
  XySeries series = Series("", {{0, 0}, {100, 100}});
  series.marks = false;
  const std::string whole = DrawXyPlot({.label = "",
                                        .x = {.range = Range{0, 10}},
                                        .y = {.range = Range{0, 10}},
                                        .series = {series}});
  series.points[1] = {10, 10};
  const std::string inside = DrawXyPlot({.label = "",
                                         .x = {.range = Range{0, 10}},
                                         .y = {.range = Range{0, 10}},
                                         .series = {series}});
  EXPECT_EQ(whole, inside);
}

TEST(XyPlot, ALineThatLeavesAndReturnsIsTwoPieces) {
  XySeries series = Series("", {{0, 5}, {4, 5}, {5, 50}, {6, 5}, {10, 5}});
  series.marks = false;
  const std::string svg = DrawXyPlot({.label = "",
                                      .x = {.range = Range{0, 10}},
                                      .y = {.range = Range{0, 10}},
                                      .series = {series}});
  EXPECT_EQ(Count(svg, "stroke-linejoin"), 2);
}

TEST(XyPlot, WithoutPointsThereAreStillAxes) {
  const std::string svg = DrawXyPlot({.label = "", .x = {.label = "load"}, .y = {}, .series = {}});
  EXPECT_THAT(svg, HasSubstr(">load</text>"));
}

TEST(StyleOf, TellsManySeriesApart) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < 28; ++i) {
    const SeriesStyle style = StyleOf(i);
    seen.insert(std::string(style.colour) + "/" + std::string(style.dash));
  }
  EXPECT_EQ(seen.size(), 28U);
}

}  // namespace
}  // namespace fairlead
