#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/quote_report.h"
#include "fairlead/report/quote_words.h"

namespace fairlead {
namespace {

// From promise to promise, in the order of the table.
HtmlFigure SharesFigure(const std::vector<const QuotedAgreement*>& order) {
  XyPlot plot{.label = "shares of hits beside promises, with what is predicted for a new traffic",
              .x = {.label = "agreements, in the order of the table"},
              .y = {.label = "share of hits", .format = FormatPercent},
              .series = {}};
  XySeries promises{.name = "promised", .style = kBoundStyle, .points = {}, .line = false};
  XySeries means{.name = "predicted mean", .style = StyleOf(0), .points = {}, .line = false};
  XySeries lowest{.name = "lowest simulated", .style = StyleOf(1), .points = {}, .line = false};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const QuotedAgreement& agreement = *order[i];
    const double x = static_cast<double>(i + 1);
    const std::string name = agreement.tenant + " " + agreement.network;
    const auto add = [&](XySeries& series, const std::optional<double>& share) {
      if (!share.has_value()) return;
      series.points.push_back(
          {.x = x, .y = *share, .title = fmt::format("{}: {}", name, FormatPercent(*share))});
    };
    add(promises, agreement.promised);
    add(means, agreement.mean);
    add(lowest, agreement.lowest);
    if (!agreement.low.has_value()) continue;
    plot.series.push_back({.name = {},
                           .style = StyleOf(0),
                           .points = {{.x = x, .y = *agreement.low, .title = {}},
                                      {.x = x, .y = *agreement.high, .title = {}}},
                           .marks = false,
                           .line_width = 1.2});
  }
  for (XySeries* series : {&lowest, &means, &promises}) {
    if (!series->points.empty()) plot.series.push_back(std::move(*series));
  }
  return {.name = "shares",
          .title = "Shares beside promises",
          .svg = DrawXyPlot(plot),
          .caption =
              "A vertical line spans what a new traffic will bring: it lies above the lower "
              "end with 99 % confidence, and below the upper end with 99 %. A promise is "
              "safe where its mark lies below the line."};
}

HtmlFigure TrialsFigure(const QuoteResults& results) {
  XySeries simulated{.name = "simulated", .style = StyleOf(0), .points = {}, .line = false};
  XySeries heavy{.name = "simulated, heaviest", .style = StyleOf(1), .points = {}, .line = false};
  Range weights{results.trials.front().weight, results.trials.front().weight};
  for (const QuoteTrial& trial : results.trials) {
    if (!trial.worst.has_value()) continue;
    weights = weights.With(trial.weight);
    (trial.heavy ? heavy : simulated)
        .points.push_back(
            {.x = trial.weight,
             .y = *trial.worst,
             .title = fmt::format("seed {}: {}", trial.seed, FormatPercent(*trial.worst))});
  }
  XyPlot plot{.label = "the worst margin of each simulated traffic over its weight",
              .x = {.label = "weight of the traffic: promised work over what the platform does"},
              .y = {.label = "worst share minus its promise", .format = FormatPercent},
              .series = {{.name = {},
                          .style = kBoundStyle,
                          .points = {{.x = weights.low, .y = 0, .title = {}},
                                     {.x = weights.high, .y = 0, .title = {}}},
                          .marks = false}}};
  for (XySeries* series : {&simulated, &heavy}) {
    if (!series->points.empty()) plot.series.push_back(std::move(*series));
  }
  return {.name = "traffics",
          .title = "The worst promise on each traffic",
          .svg = DrawXyPlot(plot),
          .caption =
              "Below the dotted line a promise is broken. A new traffic is predicted along "
              "the line through these points, at the weights of all that were drawn."};
}

HtmlTable AgreementsTable(const std::vector<const QuotedAgreement*>& order) {
  HtmlTable table{.caption = "Shares in %, rates in requests per second.",
                  .columns = {"agreement", "promised", "rate", "lowest simulated", "predicted mean",
                              "99 % above", "99 % below", "broken on", ""},
                  .rows = {}};
  for (const QuotedAgreement* agreement : order) {
    table.rows.push_back({{agreement->tenant + " " + agreement->network},
                          {PercentOrDash(agreement->promised)},
                          {fmt::format("{:.4g}", agreement->rate)},
                          {PercentOrDash(agreement->lowest)},
                          {PercentOrDash(agreement->mean)},
                          {PercentOrDash(agreement->low)},
                          {PercentOrDash(agreement->high)},
                          {fmt::format("{}", agreement->broken)},
                          {agreement->hurt    ? "hurt"
                           : agreement->asked ? "asked for"
                                              : ""}});
  }
  return table;
}

}  // namespace

std::string FormatQuotePage(const QuoteHeading& heading, const QuoteResults& results) {
  HtmlPage page(fmt::format("Fairlead: a quote for {}", heading.scenario));
  page.Paragraph(fmt::format("Can it be signed? {}.", AnswerInWords(results)));
  page.Paragraph(results.reason + ".");
  page.Paragraph(MethodInWords(results));
  const auto order = MostAtStakeFirst(results);
  page.Figures(std::vector<HtmlFigure>{SharesFigure(order), TrialsFigure(results)});
  page.Section("Agreements");
  page.Table(AgreementsTable(order));
  page.Section("To run it again");
  page.Paragraph("With fairlead " + heading.version + ":");
  page.Verbatim(heading.command);
  return std::move(page).Finish();
}

}  // namespace fairlead
