#include "fairlead/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/plots/plot_frame.h"
#include "fairlead/plots/row_plots.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/json_text.h"
#include "fairlead/report/summary.h"
#include "fairlead/report/table.h"
#include "fairlead/report/text_table.h"

namespace fairlead {
namespace {

// The figures of the HTML report, each with its caption: from results to drawings.

// The place of a policy in the groups gives its colour, dash and mark in every figure.
HtmlFigure HitRateFigure(std::span<const PolicyRuns> policies);
HtmlFigure TargetFigure(std::span<const PolicyRuns> policies);
// Of the policies that a figure is about, those from a place on: too many lines are none.
struct PolicyPart {
  static constexpr std::size_t kMost = 8;
  std::size_t first = 0;

  bool Has(std::size_t policy) const { return policy >= first && policy < first + kMost; }
};
HtmlFigure LatencyFigure(std::span<const PolicyRuns> policies, std::span<const Histogram> latencies,
                         const PolicyPart& part = {});
// `runs` stand in for loads where there are none.
HtmlFigure FrontierFigure(std::span<const RunsAtLoad> loads, std::span<const RunFigures> runs,
                          const PolicyPart& part = {});
// Of one run of each policy, with what happened to the world.
HtmlFigure HitsOverTimeFigure(std::span<const PolicyTimeline> timelines,
                              std::span<const WorldEvent> events, const PolicyPart& part = {});

// Violated windows, revenue and energy; those that are zero everywhere are left out.
std::vector<HtmlFigure> TotalsFigures(const Summary& summary);

// What ran where in the first stretch after the warm-up (until the given instant, so that policies
// can be compared), and usage from beginning to end.
std::vector<HtmlFigure> TimelineFigures(const PolicyTimeline& run, Instant until);

// The mean over runs of what each has, of those that have it.
template <typename Get>
std::optional<double> MeanOver(std::span<const RunFigures* const> runs, Get get) {
  double sum = 0;
  double count = 0;
  for (const RunFigures* run : runs) {
    if (const std::optional<double> value = get(*run)) {
      sum += *value;
      ++count;
    }
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::string NameOf(const AgreementFigures& agreement) {
  return agreement.tenant + " / " + agreement.network;
}

// ---- Targets -------------------------------------------------------------------------------

bool HasTargets(std::span<const PolicyRuns> policies) {
  for (const PolicyRuns& policy : policies) {
    for (const RunFigures* run : policy.runs) {
      if (std::ranges::any_of(run->per_agreement,
                              [](const auto& agreement) { return agreement.target.has_value(); }))
        return true;
    }
  }
  return false;
}

// An agreement over the seeds of one policy. Agreements stand in the same order in all runs.
struct AgreementMean {
  std::string name;
  double rate = 0;
  double difference = 0;  // to the target
  double runs = 0;
};

std::vector<SwarmPoint> DifferencesOf(const PolicyRuns& policy, bool with_targets) {
  std::vector<AgreementMean> means;
  for (const RunFigures* run : policy.runs) {
    means.resize(std::max(means.size(), run->per_agreement.size()));
    for (std::size_t i = 0; i < run->per_agreement.size(); ++i) {
      const AgreementFigures& agreement = run->per_agreement[i];
      if (with_targets && !agreement.target.has_value()) continue;
      means[i].name = NameOf(agreement);
      means[i].rate += agreement.hit_rate;
      means[i].difference += agreement.hit_rate - agreement.target.value_or(1);
      ++means[i].runs;
    }
  }
  std::vector<SwarmPoint> points;
  for (const AgreementMean& mean : means) {
    if (mean.runs == 0) continue;
    const double rate = mean.rate / mean.runs;
    const double difference = mean.difference / mean.runs;
    points.push_back({difference, fmt::format("{}: {} ({:+.1f} points)", mean.name,
                                              FormatPercent(rate), difference * 100)});
  }
  return points;
}

std::string FormatPoints(double fraction) {
  return fraction == 0 ? "0" : fmt::format("{:+.4g}", fraction * 100);
}

// ---- The frontier --------------------------------------------------------------------------

std::optional<double> WorstAgreement(const RunFigures& run) {
  return run.agreements.rates.count > 0 ? std::optional(run.agreements.rates.min) : std::nullopt;
}

std::string At(std::optional<double> load) {
  return load.has_value() ? fmt::format(" at load {:.4g}", *load) : "";
}

std::optional<XyPoint> FrontierPoint(const PolicyRuns& policy, std::optional<double> load) {
  const auto overall = MeanOver(policy.runs, [](const RunFigures& run) { return run.hit_rate; });
  const auto worst = MeanOver(policy.runs, WorstAgreement);
  if (!overall.has_value() || !worst.has_value()) return std::nullopt;
  return XyPoint{*overall, *worst,
                 fmt::format("{}{}: {} overall, {} for the worst agreement", policy.policy,
                             At(load), FormatPercent(*overall), FormatPercent(*worst))};
}

std::optional<XyPoint> BoundPoint(std::span<const PolicyRuns> policies,
                                  std::optional<double> load) {
  if (policies.empty()) return std::nullopt;
  const std::span<const RunFigures* const> runs = policies.front().runs;  // arrivals are common
  const auto overall = MeanOver(runs, [](const RunFigures& run) {
    return run.bounds.has_value() ? std::optional(run.bounds->hit_rate) : std::nullopt;
  });
  const auto worst = MeanOver(runs, [](const RunFigures& run) {
    return run.bounds.has_value() ? std::optional(run.bounds->worst_agreement) : std::nullopt;
  });
  if (!overall.has_value() || !worst.has_value()) return std::nullopt;
  return XyPoint{*overall, *worst,
                 fmt::format("fluid bounds{}: {} overall, {} for the worst agreement", At(load),
                             FormatPercent(*overall), FormatPercent(*worst))};
}

void AddFrontierPoints(std::vector<XySeries>& series, XySeries& bound,
                       std::span<const RunFigures> runs, std::optional<double> load) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  for (const PolicyRuns& policy : policies) {
    auto own = std::ranges::find(series, policy.policy, &XySeries::name);
    if (own == series.end()) {
      series.push_back({.name = policy.policy, .style = StyleOf(series.size())});
      own = series.end() - 1;
    }
    if (const auto point = FrontierPoint(policy, load)) own->points.push_back(*point);
  }
  if (const auto point = BoundPoint(policies, load)) bound.points.push_back(*point);
}

// ---- Latencies -----------------------------------------------------------------------------

// The share of all requests that finished within a latency, at shares of those that finished.
XySeries LatencySeries(const PolicyRuns& policy, const Histogram& latencies, std::size_t index) {
  double requests = 0;
  for (const RunFigures* run : policy.runs) requests += static_cast<double>(run->counts.ended());
  XySeries series{.name = policy.policy, .style = StyleOf(index)};
  if (latencies.count() == 0 || requests == 0) return series;
  const double finished = static_cast<double>(latencies.count()) / requests;
  constexpr int kSteps = 50;
  for (int i = 0; i <= kSteps; ++i) {
    const double share = static_cast<double>(i) / kSteps;
    const auto latency = static_cast<double>(latencies.Quantile(share));
    series.points.push_back({latency, share * finished,
                             fmt::format("{}: {} of all requests within {}", policy.policy,
                                         FormatPercent(share * finished), FormatTime(latency)),
                             i == kSteps / 10 || i == kSteps / 2 || i == kSteps * 9 / 10});
  }
  return series;
}

// ---- Totals --------------------------------------------------------------------------------

struct Total {
  const char* figure;
  const char* file;
  const char* title;
  const char* axis;
  const char* caption;
};
constexpr Total kTotals[] = {
    {"window_violations", "windows", "Windows violated", "windows per run",
     "Windows of consecutive requests with more failures than promised, over all agreements."},
    {"revenue", "revenue", "Revenue", "revenue per run",
     "Prices of all hits minus penalties of all other ends."},
    {"energy_j", "energy", "Energy", "joules per run", "What segments took on accelerators."},
};

HtmlFigure HitRateFigure(std::span<const PolicyRuns> policies) {
  BoxPlot plot{.label = "Hit rates of agreements, a box for each policy",
               .x = {.label = "hit rate of an agreement", .most = 1, .format = FormatPercent}};
  for (const PolicyRuns& policy : policies) {
    std::vector<double> rates;
    for (const RunFigures* run : policy.runs) {
      for (const AgreementFigures& agreement : run->per_agreement)
        rates.push_back(agreement.hit_rate);
    }
    plot.rows.push_back({policy.policy, StyleOf(plot.rows.size()), Describe(rates)});
  }
  return {.name = "hit-rates",
          .title = "Hit rates of agreements",
          .svg = DrawBoxPlot(plot),
          .caption =
              "Each agreement in each run is one value. The box holds the middle half, the "
              "line in it is the median, the diamond the mean; whiskers reach from the "
              "least to the greatest. Further right is better, narrower is more even."};
}

HtmlFigure TargetFigure(std::span<const PolicyRuns> policies) {
  const bool with_targets = HasTargets(policies);
  const std::string to = with_targets ? "its target" : "100 %";
  SwarmPlot plot{.label = "Hit rate minus " + to + ", a mark for each agreement",
                 .x = {.label = "hit rate minus " + to + ", in points", .format = FormatPoints}};
  for (const PolicyRuns& policy : policies) {
    plot.rows.push_back(
        {policy.policy, StyleOf(plot.rows.size()), DifferencesOf(policy, with_targets)});
  }
  return {
      .name = "targets",
      .title = with_targets ? "Promised and received" : "How far from 100 %",
      .svg = DrawSwarmPlot(std::move(plot)),
      .caption =
          std::string(with_targets ? "Each mark is an agreement with a target, its rate averaged "
                                     "over seeds. Right of the line it got more than it was "
                                     "promised, left of it less."
                                   : "Nobody was promised a rate, so this is the distance to all. "
                                     "Each mark is an agreement, its rate averaged over seeds; "
                                     "nearer to the line is better.") +
          " A mark with an edge stands for several at one place."};
}

HtmlFigure FrontierFigure(std::span<const RunsAtLoad> loads, std::span<const RunFigures> runs,
                          const PolicyPart& part) {
  XyPlot plot{.label = "Overall hit rate against that of the worst agreement",
              .x = {.label = "overall hit rate", .most = 1, .format = FormatPercent},
              .y = {.label = "worst agreement", .most = 1, .format = FormatPercent}};
  XySeries bound{.name = "fluid bounds", .style = kBoundStyle};
  for (const RunsAtLoad& at : loads) AddFrontierPoints(plot.series, bound, at.runs, at.load);
  if (loads.empty()) AddFrontierPoints(plot.series, bound, runs, std::nullopt);
  std::vector<XySeries> shown;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    if (part.Has(i)) shown.push_back(std::move(plot.series[i]));
  }
  plot.series = std::move(shown);
  if (!bound.points.empty()) plot.series.push_back(std::move(bound));
  std::string caption =
      "Means over seeds. Up is fairer to the worst off, right is better for all together; no "
      "schedule gets beyond the bounds, which hold each on its own.";
  if (loads.size() > 1) {
    caption += fmt::format(
        " Each line goes through the loads {:.4g} to {:.4g}; point at a mark "
        "to see which.",
        loads.front().load, loads.back().load);
  }
  return {.name = "frontier",
          .title = "All together, and the worst off",
          .svg = DrawXyPlot(plot),
          .caption = std::move(caption)};
}

HtmlFigure LatencyFigure(std::span<const PolicyRuns> policies, std::span<const Histogram> latencies,
                         const PolicyPart& part) {
  XyPlot plot{
      .label = "Distribution of latencies, a line for each policy",
      .x = {.label = "from arrival to finish", .kind = ScaleKind::kLog, .format = FormatTime},
      .y = {.label = "share of all requests", .range = Range{0, 1}, .format = FormatPercent}};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (part.Has(i)) plot.series.push_back(LatencySeries(policies[i], latencies[i], i));
  }
  return {.name = "latencies",
          .title = "Latencies",
          .svg = DrawXyPlot(plot),
          .caption =
              "How many of all requests finished within a time, late ones included, all "
              "seeds together. Further left is faster. A line that ends below 100 % gave up "
              "the rest. Marks stand at 10, 50 and 90 % of those that finished."};
}

std::vector<HtmlFigure> TotalsFigures(const Summary& summary) {
  std::vector<HtmlFigure> figures;
  for (const Total& total : kTotals) {
    IntervalPlot plot{.label = fmt::format("{}, a bar for each policy", total.title),
                      .x = {.label = total.axis}};
    bool any = false;
    for (const PolicySummary& policy : summary.policies) {
      const Estimate estimate = FindEstimate(policy.figures, total.figure);
      plot.rows.push_back({policy.policy, StyleOf(plot.rows.size()), estimate});
      any = any || estimate.mean != 0;
    }
    if (!any) continue;
    figures.push_back({.name = total.file,
                       .title = total.title,
                       .svg = DrawIntervalPlot(plot),
                       .caption = std::string(total.caption) +
                                  " Means over seeds; the line is the 95 % interval, where there "
                                  "are several seeds."});
  }
  return figures;
}

GanttChart StretchOf(const PolicyTimeline& run, Instant until) {
  const RunTimeline& timeline = run.timeline;
  const auto since = [&](Instant time) {
    return static_cast<double>((time - timeline.from).count());
  };
  GanttChart chart{.label = "What ran on each accelerator under " + run.policy,
                   .time = {.label = "time after the warm-up",
                            .range = Range{0, std::max(1.0, since(until))},
                            .format = FormatTime},
                   .rows = timeline.accelerators,
                   .series = timeline.networks,
                   .bars = {}};
  for (const TimelineSlice& slice : timeline.slices) {
    if (slice.start >= until) continue;
    chart.bars.push_back(
        {.row = slice.accelerator.index(),
         .start = since(slice.start),
         .end = since(slice.end),
         .series = slice.network.index(),
         .title = fmt::format("{}, {}", slice.what,
                              FormatTime(static_cast<double>((slice.end - slice.start).count())))});
  }
  return chart;
}

XyPlot UsageOf(const PolicyTimeline& run) {
  XyPlot plot{.label = "Accelerators and memory in use over time under " + run.policy,
              .x = {.label = "time", .format = FormatTime},
              .y = {.label = "in use", .range = Range{0, 1}, .format = FormatPercent},
              .height = 150};
  const auto bin = static_cast<double>(run.timeline.bin.count());
  for (const UsageOverTime& usage : run.timeline.usage) {
    if (!usage.shares.empty())
      plot.x.range = Range{0, bin * static_cast<double>(usage.shares.size())};
    XySeries series{.name = usage.name,
                    .style = StyleOf(8 * plot.series.size()),  // colour and dash
                    .points = {},
                    .marks = false,
                    .line_width = 1.5};
    for (std::size_t i = 0; i < usage.shares.size(); ++i) {
      const double middle = (static_cast<double>(i) + 0.5) * bin;
      series.points.push_back({.x = middle, .y = std::min(1.0, usage.shares[i])});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

HtmlFigure HitsOverTimeFigure(std::span<const PolicyTimeline> timelines,
                              std::span<const WorldEvent> events, const PolicyPart& part) {
  XyPlot plot{.label = "Hit rate over time, a line for each policy",
              .x = {.label = "time of arrival", .format = FormatTime},
              .y = {.label = "hit rate", .range = Range{0, 1}, .format = FormatPercent},
              .height = 200};
  Duration bin{};
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    if (!part.Has(i)) continue;
    const RunTimeline& timeline = timelines[i].timeline;
    bin = std::max(bin, timeline.bin);
    XySeries series{
        .name = timelines[i].policy, .style = StyleOf(i), .marks = false, .line_width = 1.5};
    for (std::size_t b = 0; b < timeline.hits.size(); ++b) {
      const HitsOverTime& at = timeline.hits[b];
      if (at.requests == 0) continue;
      const double middle =
          (static_cast<double>(b) + 0.5) * static_cast<double>(timeline.bin.count());
      series.points.push_back({.x = middle, .y = at.hits / at.requests});
    }
    plot.series.push_back(std::move(series));
  }
  for (const WorldEvent& event : events)
    plot.events.push_back(
        {static_cast<double>(Nanoseconds(event.at)),
         fmt::format("{}: {}", FormatTime(static_cast<double>(Nanoseconds(event.at))),
                     event.what)});
  return {
      .name = "hits-over-time",
      .title = "Hit rate over time",
      .svg = DrawXyPlot(plot),
      .caption = fmt::format("Of the requests that arrived in each {}, in the first run of each "
                             "policy.{}",
                             FormatTime(static_cast<double>(bin.count())),
                             events.empty() ? ""
                                            : " Lines from top to bottom are changes of "
                                              "the world; point at one to see which.")};
}

std::vector<HtmlFigure> TimelineFigures(const PolicyTimeline& run, Instant until) {
  return {{.name = "timeline",
           .title = "Accelerators under " + run.policy,
           .svg = DrawGantt(StretchOf(run, until)),
           .caption = fmt::format("Every segment of the first moments after the warm-up with seed "
                                  "{}, coloured by network; point at one to see whose it is.",
                                  run.seed)},
          {.name = "usage",
           .title = "Usage under " + run.policy,
           .svg = DrawXyPlot(UsageOf(run)),
           .caption =
               fmt::format("The whole run with seed {}, warm-up and drain included: units in "
                           "use by kind of accelerator, and traffic as a share of the "
                           "memory's bandwidth, averaged over {}.",
                           run.seed, FormatTime(static_cast<double>(run.timeline.bin.count())))}};
}

enum class Unit : std::uint8_t { kNumber, kShare, kTime };
enum class Shown : std::uint8_t { kIfKnown, kIfNotZero };

struct Column {
  std::string_view path;
  std::string_view heading;
  std::string_view bound = {};  // the fluid bound on it, if there is one
  Unit unit = Unit::kNumber;
  Shown shown = Shown::kIfKnown;
};
constexpr Column kColumns[] = {
    {"hit_rate", "hit rate", "bounds.hit_rate", Unit::kShare},
    {"agreements.min", "worst agreement", "bounds.worst_tenant", Unit::kShare},
    {"agreements.median", "median agreement", {}, Unit::kShare},
    {"agreements.jain", "Jain\u2019s index"},
    {"agreements.met_share", "agreements met", {}, Unit::kShare},
    {"latency.p50", "median latency", {}, Unit::kTime},
    {"latency.p99", "99 % latency", {}, Unit::kTime},
    {"antt", "ANTT"},
    {"window_violations", "windows violated", {}, Unit::kNumber, Shown::kIfNotZero},
    {"revenue", "revenue", {}, Unit::kNumber, Shown::kIfNotZero},
    {"energy_j", "energy, J", {}, Unit::kNumber, Shown::kIfNotZero},
    {"bandwidth_utilisation", "memory in use", {}, Unit::kShare},
    {"hand_overs.share", "time for hand-overs", {}, Unit::kShare, Shown::kIfNotZero},
    {"guard.strikes", "guard\u2019s strikes"},
    {"guard.fallbacks", "fallback took over"},
    {"guard.under_fallback_ns", "time under fallback", {}, Unit::kTime},
};

enum class Values : std::uint8_t { kMeans, kDifferences };

// Differences of shares are points, since 2 % less could mean two things.
std::string Format(double value, Unit unit, Values values) {
  switch (unit) {
    case Unit::kShare:
      return fmt::format("{:.1f}{}", value * 100, values == Values::kMeans ? " %" : " pts");
    case Unit::kTime: return FormatTime(std::round(value));
    case Unit::kNumber: break;
  }
  return std::abs(value) < 10 ? fmt::format("{:.3f}", value) : FormatCompact(value);
}

HtmlCell CellOf(const Estimate& estimate, Unit unit, Values values) {
  if (estimate.count == 0) return {.text = "\u2013"};
  HtmlCell cell{.text = Format(estimate.mean, unit, values)};
  if (values == Values::kDifferences && estimate.mean > 0) cell.text = "+" + cell.text;
  if (!estimate.half_width.has_value()) return cell;
  cell.note = "\u00b1 " + Format(*estimate.half_width, unit, values);
  cell.strong = values == Values::kDifferences && std::abs(estimate.mean) > *estimate.half_width;
  return cell;
}

// Of the policies' figures, those that some policy has.
std::vector<Column> ColumnsOf(const Summary& summary) {
  std::vector<Column> columns;
  for (const Column& column : kColumns) {
    const auto has = [&](const PolicySummary& policy) {
      const Estimate estimate = FindEstimate(policy.figures, column.path);
      return estimate.count > 0 && (column.shown == Shown::kIfKnown || estimate.mean != 0);
    };
    if (std::ranges::any_of(summary.policies, has)) columns.push_back(column);
  }
  return columns;
}

HtmlTable TableOf(std::string caption, std::string_view first, std::span<const Column> columns) {
  HtmlTable table{.caption = std::move(caption), .columns = {std::string(first)}};
  for (const Column& column : columns) table.columns.emplace_back(column.heading);
  return table;
}

void AddRow(HtmlTable& table, std::string name, const std::vector<SummaryFigure>& figures,
            std::span<const Column> columns, Values values) {
  std::vector<HtmlCell> row = {{.text = std::move(name)}};
  for (const Column& column : columns)
    row.push_back(CellOf(FindEstimate(figures, column.path), column.unit, values));
  table.rows.push_back(std::move(row));
}

HtmlTable PolicyTable(const Summary& summary) {
  const std::vector<Column> columns = ColumnsOf(summary);
  HtmlTable table = TableOf(
      "Means over seeds; below each, half of its 95 % interval where there "
      "are several seeds. A dash stands for what is not defined.",
      "policy", columns);
  for (const PolicySummary& policy : summary.policies)
    AddRow(table, policy.policy, policy.figures, columns, Values::kMeans);
  if (summary.policies.empty()) return table;
  const std::vector<SummaryFigure>& any = summary.policies.front().figures;  // common arrivals
  if (FindEstimate(any, "bounds.hit_rate").count == 0) return table;
  std::vector<HtmlCell> bounds = {{.text = "fluid bounds"}};
  for (const Column& column : columns) {
    bounds.push_back(column.bound.empty()
                         ? HtmlCell{}
                         : CellOf(FindEstimate(any, column.bound), column.unit, Values::kMeans));
  }
  table.rows.push_back(std::move(bounds));
  return table;
}

HtmlTable DifferenceTable(const Summary& summary) {
  const std::vector<Column> columns = ColumnsOf(summary);
  HtmlTable table = TableOf(
      "The first policy minus the second on common seeds. Strong: the 95 % "
      "interval leaves out zero.",
      "policies", columns);
  for (const PolicyDifference& difference : summary.differences) {
    AddRow(table, difference.policy + " \u2212 " + difference.against, difference.figures, columns,
           Values::kDifferences);
  }
  return table;
}

std::string Introduction(const HtmlReport& report, std::size_t policies) {
  std::set<std::uint64_t> seeds;
  std::int64_t requests = 0;
  for (const RunFigures& run : report.runs) {
    seeds.insert(run.seed);
    requests += static_cast<std::int64_t>(run.counts.ended());
  }
  const std::size_t agreements = report.runs.empty() ? 0 : report.runs.front().per_agreement.size();
  return fmt::format("{} with {} under {}, {} requests in all, those of the warm-up left out.",
                     Counted(agreements, "agreement"), Counted(seeds.size(), "seed"),
                     policies == 1 ? "1 policy" : fmt::format("{} policies", policies), requests);
}

void AddTimelines(HtmlPage& page, std::span<const PolicyTimeline> timelines,
                  std::span<const WorldEvent> events) {
  if (timelines.empty()) return;
  page.Section("Over time");
  page.Figures(std::vector<HtmlFigure>{HitsOverTimeFigure(timelines, events)});
  for (PolicyPart part{PolicyPart::kMost}; part.first < timelines.size();
       part.first += PolicyPart::kMost) {
    page.FoldedFigures(fmt::format("Hit rate over time of {} more",
                                   std::min(timelines.size() - part.first, PolicyPart::kMost)),
                       std::vector<HtmlFigure>{HitsOverTimeFigure(timelines, events, part)});
  }
  Instant until = kNever;
  for (const PolicyTimeline& run : timelines) until = std::min(until, run.timeline.until);
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const std::vector<HtmlFigure> figures = TimelineFigures(timelines[i], until);
    if (i == 0) {
      page.Figures(figures);
    } else {
      page.FoldedFigures(timelines[i].policy, figures);
    }
  }
}

}  // namespace

std::string FormatHtmlReport(const HtmlReport& report) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(report.runs);
  const Summary summary = Summarise(report.runs);
  CHECK(report.latencies.size() == policies.size());
  HtmlPage page("Fairlead: " + report.heading.scenario);
  page.Paragraph(Introduction(report, policies.size()));
  for (const std::string& line : report.world.lines) page.Paragraph(line);
  for (const RunFigures& run : report.runs) {
    if (run.interrupted)
      page.Paragraph(fmt::format("Partial: {} with seed {} was interrupted after {:.6g} s.",
                                 run.policy, run.seed, Seconds(run.makespan)));
  }
  if (const std::string live = FormatLive(report.runs); !live.empty()) {
    page.Paragraph("These runs were live: in real time, on threads of this machine.");
    page.Verbatim(live);
  }
  page.Section("Promises and latencies");
  page.Figures(std::vector<HtmlFigure>{HitRateFigure(policies), TargetFigure(policies),
                                       FrontierFigure(report.loads, report.runs),
                                       LatencyFigure(policies, report.latencies)});
  for (PolicyPart part{PolicyPart::kMost}; part.first < policies.size();
       part.first += PolicyPart::kMost) {
    page.FoldedFigures(fmt::format("Frontier and latencies of {} more",
                                   std::min(policies.size() - part.first, PolicyPart::kMost)),
                       std::vector<HtmlFigure>{FrontierFigure(report.loads, report.runs, part),
                                               LatencyFigure(policies, report.latencies, part)});
  }
  if (const std::vector<HtmlFigure> totals = TotalsFigures(summary); !totals.empty()) {
    page.Section("Totals");
    page.Figures(totals);
  }
  page.Section("In numbers");
  page.Table(PolicyTable(summary));
  if (!summary.differences.empty()) page.Table(DifferenceTable(summary));
  const std::pair<std::string_view, HtmlTable> more[] = {
      {"Agreement by agreement", AgreementTable(policies)},
      {"Periods", PeriodTable(policies)},
      {"Windows", WindowTable(policies)},
      {"Promises given up", SacrificeTable(policies)}};
  for (const auto& [heading, table] : more) {
    if (table.rows.empty()) continue;
    page.Section(heading);
    page.Table(table);
  }
  AddTimelines(page, report.timelines, report.world.events);
  page.Rerun(report.heading.version, report.command);
  if (!report.heading.config.empty())
    page.FoldedVerbatim("The scenario, resolved", Indented(report.heading.config));
  return std::move(page).Finish();
}

}  // namespace fairlead
