#include "fairlead/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "fairlead/base/check.h"
#include "fairlead/report/agreement_table.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/period_table.h"
#include "fairlead/report/report_plots.h"
#include "fairlead/report/report_tables.h"
#include "fairlead/report/sacrifice_table.h"
#include "fairlead/report/summary.h"
#include "fairlead/report/window_table.h"

namespace fairlead {
namespace {

std::string Introduction(const HtmlReport& report, std::size_t policies) {
  std::set<std::uint64_t> seeds;
  std::int64_t requests = 0;
  for (const RunFigures& run : report.runs) {
    seeds.insert(run.seed);
    requests += static_cast<std::int64_t>(run.counts.ended());
  }
  const auto count = [](std::size_t number, std::string_view what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  const std::size_t agreements = report.runs.empty() ? 0 : report.runs.front().per_agreement.size();
  return fmt::format("{} with {} under {}, {} requests in all, those of the warm-up left out.",
                     count(agreements, "agreement"), count(seeds.size(), "seed"),
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

std::string Indented(const std::string& config) {
  using Json = nlohmann::ordered_json;
  const Json json = Json::parse(config, nullptr, /*allow_exceptions=*/false);
  CHECK_MSG(!json.is_discarded(), "the configuration in a report is not JSON: " + config);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

void AddRerun(HtmlPage& page, const HtmlReport& report) {
  page.Section("To run it again");
  page.Paragraph("With fairlead " + report.heading.version + ":");
  page.Verbatim(report.command);
  if (!report.heading.config.empty())
    page.FoldedVerbatim("The scenario, resolved", Indented(report.heading.config));
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
  if (const HtmlTable agreements = AgreementTable(policies); !agreements.rows.empty()) {
    page.Section("Agreement by agreement");
    page.Table(agreements);
  }
  if (const HtmlTable periods = PeriodTable(policies); !periods.rows.empty()) {
    page.Section("Periods");
    page.Table(periods);
  }
  if (const HtmlTable windows = WindowTable(policies); !windows.rows.empty()) {
    page.Section("Windows");
    page.Table(windows);
  }
  if (const HtmlTable given_up = SacrificeTable(policies); !given_up.rows.empty()) {
    page.Section("Promises given up");
    page.Table(given_up);
  }
  AddTimelines(page, report.timelines, report.world.events);
  AddRerun(page, report);
  return std::move(page).Finish();
}

}  // namespace fairlead
