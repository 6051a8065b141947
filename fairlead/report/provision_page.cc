#include <fmt/format.h>

#include <utility>
#include <vector>

#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/provision_report.h"
#include "fairlead/report/quote_words.h"

namespace fairlead {
namespace {

HtmlFigure CostFigure(const ProvisionResults& results) {
  XySeries broken{.name = "does not keep all", .style = StyleOf(1), .points = {}, .line = false};
  XySeries keeps{.name = "keeps all", .style = StyleOf(2), .points = {}, .line = false};
  Range costs{results.current.cost, results.current.cost};
  const auto add = [&](const TriedPlatform& tried) {
    if (!tried.worst.has_value()) return;
    costs = costs.With(tried.cost);
    (tried.verdict == TriedPlatform::Verdict::kKeeps ? keeps : broken)
        .points.push_back(
            {.x = tried.cost,
             .y = *tried.worst,
             .title = PlatformInWords(results, tried) + ": " + FormatPercent(*tried.worst)});
  };
  for (const TriedPlatform& tried : results.tried) add(tried);
  add(results.current);
  for (const TriedPlatform& tried : results.next) add(tried);
  XyPlot plot{.label = "the worst margin of each platform that was simulated over its cost",
              .x = {.label = "cost"},
              .y = {.label = "worst share minus its promise", .format = FormatPercent},
              .series = {{.name = {},
                          .style = kBoundStyle,
                          .points = {{.x = costs.low, .y = 0, .title = {}},
                                     {.x = costs.high, .y = 0, .title = {}}},
                          .marks = false}}};
  for (XySeries* series : {&broken, &keeps}) {
    if (!series->points.empty()) plot.series.push_back(std::move(*series));
  }
  return {.name = "platforms",
          .title = "What platforms cost, and how far they are from their promises",
          .svg = DrawXyPlot(plot),
          .caption =
              "The promise that fares worst, on the traffics that were simulated. Below the "
              "dotted line it is broken; a little above, a new traffic may break it."};
}

std::vector<HtmlCell> Row(std::string name, const TriedPlatform& tried) {
  return {{std::move(name)},
          {fmt::format("{:.4g}", tried.cost)},
          {PercentOrDash(tried.kept)},
          {PercentOrDash(tried.worst)},
          {PercentOrDash(tried.worst_margin)},
          {VerdictInWords(tried)}};
}

HtmlTable EmptyTable(std::string caption) {
  return {.caption = std::move(caption),
          .columns = {"platform", "cost", "promises kept", "worst margin", "predicted margin",
                      "verdict"},
          .rows = {}};
}

}  // namespace

std::string FormatProvisionPage(const QuoteHeading& heading, const ProvisionResults& results) {
  HtmlPage page(fmt::format("Fairlead: a platform for {}", heading.scenario));
  const std::string found = results.smallest.has_value()
                                ? PlatformInWords(results, results.tried[*results.smallest])
                                : "none";
  page.Paragraph(fmt::format("The smallest platform: {}. {}.", found, results.reason));
  page.Figures(std::vector<HtmlFigure>{CostFigure(results)});
  page.Section("What one more buys");
  HtmlTable next = EmptyTable("Beside the scenario's own platform. Kept in %, margins in points.");
  next.rows.push_back(Row("now: " + PlatformInWords(results, results.current), results.current));
  for (std::size_t kind = 0; kind < results.next.size(); ++kind)
    next.rows.push_back(Row("one more " + results.kinds[kind], results.next[kind]));
  page.Table(next);
  page.Section("Platforms that were simulated");
  HtmlTable tried = EmptyTable("The cheapest first.");
  for (const TriedPlatform& platform : results.tried)
    tried.rows.push_back(Row(PlatformInWords(results, platform), platform));
  page.Table(tried);
  page.Section("To run it again");
  page.Paragraph("With fairlead " + heading.version + ":");
  page.Verbatim(heading.command);
  return std::move(page).Finish();
}

}  // namespace fairlead
