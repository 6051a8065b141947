#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fairlead/plots/plot_frame.h"
#include "fairlead/plots/row_plots.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

BoxRow Row(std::string name, std::vector<double> values) {
  return {.name = std::move(name), .style = StyleOf(0), .values = Describe(values)};
}

TEST(BoxPlot, BoxesReachFromQuartileToQuartile) {
  const std::vector<std::string> names = {"p"};
  const Scale x(ScaleKind::kLinear, {0, 100}, RowPositions(names));
  const std::string svg =
      DrawBoxPlot({.label = "rates",
                   .x = {.range = Range{0, 100}},
                   .rows = {Row("p", {10, 20, 30, 40, 90})}});  // quartiles 20, 30, 40; mean 38
  EXPECT_THAT(svg, HasSubstr("<rect x=\"" + FormatCoordinate(x(20)) + "\""));
  EXPECT_THAT(svg, HasSubstr("width=\"" + FormatCoordinate(x(40) - x(20)) + "\""));
  EXPECT_THAT(svg, HasSubstr("d=\"M" + FormatCoordinate(x(10)) + ","));  // a whisker
  EXPECT_THAT(svg, HasSubstr("<title>p: least 10, quarter 20, median 30, three quarters 40, most "
                             "90, mean 38</title>"));
}

TEST(BoxPlot, ARowWithoutValuesIsEmpty) {
  const std::string svg = DrawBoxPlot({.label = "rates", .x = {}, .rows = {Row("nobody", {})}});
  EXPECT_THAT(svg, HasSubstr(">nobody</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("<rect")));
}

TEST(BoxPlot, EqualValuesAreDrawnToo) {
  const std::string svg =
      DrawBoxPlot({.label = "rates", .x = {}, .rows = {Row("a", {1, 1, 1}), Row("b", {1})}});
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, HasSubstr("width=\"0\""));
}

TEST(RowFrame, LongNamesStandAboveTheirRows) {
  const std::vector<std::string> brief = {"edf-h", "sjf"};
  const std::vector<std::string> wordy = {"edf-h", "least-laxity:drop=early;wait=never"};
  const std::vector<double> heights = {10, 10};
  EXPECT_LT(RowPositions(wordy).low, RowPositions(brief).low);
  EXPECT_GT(RowFrame(wordy, heights).area().bottom, RowFrame(brief, heights).area().bottom);
}

TEST(RowFrame, NamesThatNothingCanHoldAreShortenedAndTold) {
  const std::string name(200, 'x');
  const RowFrame frame({name}, std::vector<double>{10});
  SvgWriter svg;
  const Axis axis;
  frame.Draw(svg, axis, Scale(ScaleKind::kLinear, {0, 1}, {0, 100}));
  const std::string text = std::move(svg).Finish(kPlotWidth, 100, "");
  EXPECT_THAT(text, HasSubstr("\u2026<title>" + name + "</title>"));
}

}  // namespace
}  // namespace fairlead
