#include "fairlead/report/suite_figures.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "fairlead/plots/interval_plot.h"
#include "fairlead/plots/xy_plot.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostCurves = 8;
constexpr double kFarthest = 0.3;  // what a profile shows

std::string FormatDistance(double distance) { return fmt::format("{:.3g}", 100 * distance); }

// A step at each distance at which the policy reaches one more scenario.
XySeries ProfileSeries(const std::string& name, const SeriesStyle& style,
                       const PolicyVerdict& verdict) {
  XySeries series{.name = name, .style = style, .points = {}};
  const double each = 1 / static_cast<double>(verdict.scenarios);
  double reached = verdict.Within(0);
  const auto add = [&](double distance, bool mark) {
    series.points.push_back({distance, reached,
                             fmt::format("{}: within {} points in {} of scenarios", name,
                                         FormatDistance(distance), FormatPercent(reached)),
                             mark});
  };
  add(0, true);
  for (double distance : verdict.behind) {
    if (distance <= 0) continue;
    if (distance > kFarthest) break;
    add(distance, false);
    reached += each;
    add(distance, false);
  }
  add(kFarthest, true);
  return series;
}

}  // namespace

HtmlFigure ProfileFigure(const SuiteResults& results, const JudgedMeasure& judged,
                         const PolicyStyles& styles) {
  const std::string title(TitleOf(judged.measure));
  XyPlot plot{.label = fmt::format("Profiles of {}, a line for each policy", title),
              .x = {.label = "points behind the best",
                    .range = Range{0, kFarthest},
                    .format = FormatDistance},
              .y = {.label = "share of scenarios", .range = Range{0, 1}, .format = FormatPercent},
              .series = {}};
  for (std::size_t policy : LeastBehindFirst(judged)) {
    if (plot.series.size() == kMostCurves || judged.policies[policy].behind.empty()) break;
    plot.series.push_back(
        ProfileSeries(results.policies[policy], styles[policy], judged.policies[policy]));
  }
  return {.name = fmt::format("profile-{}", KeyOf(judged.measure)),
          .title = fmt::format("Within how much of the best: {}", title),
          .svg = DrawXyPlot(plot),
          .caption = fmt::format(
              "In which share of {} scenarios a policy is at most so many points behind the best "
              "one of that scenario. Higher is better; where a line begins, on the left, it is the "
              "best. The {} policies that are least behind on average.",
              judged.scenarios.size(), plot.series.size())};
}

HtmlFigure LeadFigure(const SuiteResults& results, const JudgedMeasure& judged,
                      const PolicyStyles& styles) {
  const std::string title(TitleOf(judged.measure));
  IntervalPlot plot{.label = fmt::format("Scenarios led in {}, a bar for each policy", title),
                    .x = {.label = "share of scenarios led", .format = FormatPercent},
                    .rows = {}};
  for (std::size_t policy : LeastBehindFirst(judged)) {
    const PolicyVerdict& verdict = judged.policies[policy];
    if (verdict.led == 0) continue;
    plot.rows.push_back(
        {results.policies[policy], styles[policy], Estimate{.count = 1, .mean = verdict.led}});
  }
  return {.name = fmt::format("led-{}", KeyOf(judged.measure)),
          .title = fmt::format("Led: {}", title),
          .svg = DrawIntervalPlot(plot),
          .caption = fmt::format("Leads are shared by all that are within {:.1f} points of the "
                                 "best. Those least behind on average stand above.",
                                 100 * kLeadTolerance)};
}

}  // namespace fairlead
