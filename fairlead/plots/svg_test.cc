#include "fairlead/plots/svg.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace fairlead {
namespace {

TEST(EscapeMarkup, KeepsMarkupOutOfTextsAndAttributes) {
  EXPECT_EQ(EscapeMarkup("<script>alert(\"1\" & '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
  EXPECT_EQ(EscapeMarkup("\u00e9\u4e2d\U0001F600\t\n"), "\u00e9\u4e2d\U0001F600\t\n");
  EXPECT_EQ(EscapeMarkup(""), "");
}

TEST(EscapeMarkup, ReplacesWhatIsNotText) {
  EXPECT_EQ(EscapeMarkup(std::string_view("a\0b\x1B", 4)), "a\uFFFDb\uFFFD");
  EXPECT_EQ(EscapeMarkup("\xFFz"), "\uFFFDz");                              // never a first byte
  EXPECT_EQ(EscapeMarkup("\xC3"), "\uFFFD");                                // cut off
  EXPECT_EQ(EscapeMarkup("\xC3("), "\uFFFD(");                              // not continued
  EXPECT_EQ(EscapeMarkup("\xC0\xBC"), "\uFFFD\uFFFD");                      // '<' in two bytes
  EXPECT_EQ(EscapeMarkup("\xED\xA0\x80").find('\xED'), std::string::npos);  // a surrogate
  EXPECT_EQ(EscapeMarkup("\xEF\xBF\xBF"), "\uFFFD");                        // U+FFFF
  EXPECT_EQ(EscapeMarkup("\xF5\x80\x80\x80").find('\xF5'), std::string::npos);  // too large
}

TEST(FormatCoordinate, IsShort) {
  EXPECT_EQ(FormatCoordinate(3), "3");
  EXPECT_EQ(FormatCoordinate(100), "100");
  EXPECT_EQ(FormatCoordinate(0.254), "0.25");
  EXPECT_EQ(FormatCoordinate(-1.5), "-1.5");
  EXPECT_EQ(FormatCoordinate(-0.001), "0");
}

TEST(FormatCoordinateDeathTest, RefusesWhatIsNoPlace) {
  EXPECT_DEATH(FormatCoordinate(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(FitText, ShortensOnlyWhatIsTooLong) {
  EXPECT_EQ(FitText("edf-h", 100), "edf-h");
  const std::string name = "a-policy-with-a-name-that-does-not-end";
  const std::string fitted = FitText(name, 80);
  EXPECT_TRUE(fitted.ends_with("\u2026"));
  EXPECT_LE(TextWidth(fitted), 80 + 1);
  EXPECT_TRUE(name.starts_with(fitted.substr(0, fitted.size() - 3)));
  EXPECT_EQ(FitText("\u4e2d\u4e2d\u4e2d\u4e2d", 30), "\u4e2d\u2026");  // whole characters
}

TEST(SvgWriter, WritesShapesWithTheirTitles) {
  SvgWriter svg;
  svg.OpenGroup({.fill = "red", .stroke = "blue", .width = 2, .dash = "4 2", .opacity = 0.5});
  svg.Rectangle({1, 2, 4, 8}, {}, "a < b");
  svg.Mark({5, 6}, MarkShape::kCircle, 3);
  svg.CloseGroup();
  svg.Text({7, 8}, "<b>", {.anchor = TextAnchor::kEnd, .title = "\""});
  EXPECT_EQ(std::move(svg).Finish(10, 20, "what & why"),
            "<svg viewBox=\"0 0 10 20\" width=\"10\" height=\"20\" role=\"img\" "
            "aria-label=\"what &amp; why\" font-family=\"system-ui, sans-serif\" font-size=\"12\" "
            "fill=\"currentColor\">\n"
            "<g fill=\"red\" stroke=\"blue\" stroke-width=\"2\" stroke-dasharray=\"4 2\" "
            "opacity=\"0.5\">\n"
            "<rect x=\"1\" y=\"2\" width=\"3\" height=\"6\"><title>a &lt; b</title></rect>\n"
            "<circle cx=\"5\" cy=\"6\" r=\"3\"/>\n"
            "</g>\n"
            "<text x=\"7\" y=\"8\" text-anchor=\"end\">&lt;b&gt;<title>&quot;</title></text>\n"
            "</svg>\n");
}

TEST(SvgWriter, EveryMarkIsDrawn) {
  for (int shape = 0; shape < kMarkShapes; ++shape) {
    SvgWriter svg;
    svg.Mark({10, 10}, static_cast<MarkShape>(shape), 2);
    const std::string picture = std::move(svg).Finish(20, 20, "");
    EXPECT_TRUE(picture.find("<circle") != std::string::npos ||
                picture.find("d=\"M") != std::string::npos)
        << shape;
  }
}

TEST(SvgWriter, LinesGoThroughTheirPoints) {
  SvgWriter svg;
  svg.Polyline(std::vector<Point>{{0, 0}, {1, 2.5}, {3, 4}}, {.stroke = "red"});
  svg.Polyline({}, {});
  EXPECT_NE(std::move(svg).Finish(1, 1, "").find("d=\"M0,0L1,2.5L3,4\" stroke=\"red\"/>"),
            std::string::npos);
}

TEST(SvgWriterDeathTest, GroupsAreClosed) {
  EXPECT_DEATH(
      {
        SvgWriter svg;
        svg.OpenGroup({});
        std::move(svg).Finish(1, 1, "");
      },
      "");
}

}  // namespace
}  // namespace fairlead
