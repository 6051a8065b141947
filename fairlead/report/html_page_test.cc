#include "fairlead/report/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHostile = "</pre></title><script>alert('\"&')</script>";

TEST(HtmlPage, EscapesEveryText) {
  HtmlPage page(kHostile);
  page.Section(kHostile);
  page.Paragraph(kHostile);
  const std::vector<HtmlFigure> figures = {
      {.name = kHostile, .title = kHostile, .svg = "<svg/>", .caption = kHostile}};
  page.Figures(figures);
  page.FoldedFigures(kHostile, figures);
  page.Table({.caption = kHostile,
              .columns = {kHostile},
              .rows = {{{.text = kHostile, .note = kHostile, .strong = true}}}});
  page.Verbatim(kHostile);
  page.FoldedVerbatim(kHostile, kHostile);
  const std::string html = std::move(page).Finish();
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;&quot;&amp;&#39;)"));
}

TEST(HtmlPage, LoadsNothing) {
  HtmlPage page("a page");
  const std::string html = std::move(page).Finish();
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  for (const char* loading : {"http://", "https://", " src=", "@import", "url("})
    EXPECT_THAT(html, Not(HasSubstr(loading)));
}

TEST(HtmlPage, TablesNameTheirRowsAndColumns) {
  HtmlPage page("t");
  page.Table({.caption = "figures",
              .columns = {"policy", "rate"},
              .rows = {{{.text = "edf"}, {.text = "81", .note = "± 2"}}}});
  const std::string html = std::move(page).Finish();
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">policy</th><th scope=\"col\">rate</th>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">edf</th><td>81<small>± 2</small></td>"));
}

}  // namespace
}  // namespace fairlead
