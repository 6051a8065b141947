#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "fairlead/report/html_page.h"
#include "fairlead/report/suite_figures.h"
#include "fairlead/report/suite_report.h"
#include "fairlead/report/suite_scores.h"
#include "fairlead/report/suite_tables.h"

namespace fairlead {
namespace {

// Those that are least behind differ most.
PolicyStyles StylesOf(const std::vector<JudgedMeasure>& measures, std::size_t policies) {
  PolicyStyles styles(policies);
  if (measures.empty()) return styles;
  std::size_t next = 0;
  for (std::size_t policy : LeastBehindFirst(measures.front())) styles[policy] = StyleOf(next++);
  return styles;
}

}  // namespace

std::string FormatSuitePage(const SuiteHeading& heading, const SuiteResults& results) {
  std::vector<JudgedMeasure> measures;
  for (SuiteMeasure measure : kSuiteMeasures) measures.push_back(JudgeSuite(results, measure));
  std::erase_if(measures, [](const JudgedMeasure& judged) { return judged.scenarios.empty(); });
  HtmlPage page(fmt::format("Fairlead: the suite, seed {}", heading.seed));
  page.Paragraph(fmt::format(
      "{} policies in {} scenarios that were drawn by chance ({}, seed {}), with {} seed{} each. "
      "Each measure is judged by itself, as distance to the best policy of each scenario.",
      results.policies.size(), results.scenarios.size(), heading.purpose, heading.seed,
      heading.seeds, heading.seeds == 1 ? "" : "s"));
  std::vector<HtmlFigure> profiles;
  std::vector<HtmlFigure> leads;
  const PolicyStyles styles = StylesOf(measures, results.policies.size());
  for (const JudgedMeasure& judged : measures) {
    profiles.push_back(ProfileFigure(results, judged, styles));
    leads.push_back(LeadFigure(results, judged, styles));
  }
  page.Section("Profiles");
  page.Figures(profiles);
  page.Section("Leads");
  page.Figures(leads);
  if (!measures.empty()) {
    page.Section("In numbers");
    page.Table(VerdictTable(results, measures));
    page.Section("Where each loses, and to whom");
    for (const JudgedMeasure& judged : measures) {
      page.Table(WhereTable(results, judged));
      page.Table(LossTable(results, judged));
    }
    page.Section("The scenarios");
    page.Table(ScenarioTable(results, measures));
  }
  if (const HtmlTable refusals = RefusalTable(results); !refusals.rows.empty())
    page.Table(refusals);
  page.Section("To run it again");
  page.Paragraph("With fairlead " + heading.version + ":");
  page.Verbatim(heading.command);
  return std::move(page).Finish();
}

}  // namespace fairlead
