#include "fairlead/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/plots/axis.h"
#include "fairlead/report/json_text.h"
#include "fairlead/report/report_plots.h"
#include "fairlead/report/table.h"
#include "fairlead/report/text_table.h"

namespace fairlead {
namespace {

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
