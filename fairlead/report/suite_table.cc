#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "fairlead/report/suite_report.h"
#include "fairlead/report/suite_scores.h"

namespace fairlead {
namespace {

constexpr std::size_t kNameWidth = 20;  // longer names have a line of their own
constexpr const char* kShort[] = {"hits", "min", "kept", "rev"};

using Measures = std::vector<JudgedMeasure>;

// A group of four columns, one for each measure.
std::string Cells(const Measures& measures, std::size_t policy,
                  double (*value)(const PolicyVerdict&), int decimals) {
  std::string text;
  for (const JudgedMeasure& judged : measures) {
    const PolicyVerdict& verdict = judged.policies[policy];
    text += verdict.behind.empty() ? fmt::format("{:>5}", "-")
                                   : fmt::format("{:>5.{}f}", 100 * value(verdict), decimals);
  }
  return text;
}

std::string Row(const SuiteResults& results, const Measures& measures, std::size_t policy) {
  std::string name = results.policies[policy];
  if (name.size() > kNameWidth) name += "\n" + std::string(kNameWidth, ' ');
  std::string row = fmt::format("{:<{}}", name, kNameWidth);
  row += Cells(
      measures, policy, [](const PolicyVerdict& verdict) { return verdict.led; }, 0);
  row += Cells(
      measures, policy, [](const PolicyVerdict& verdict) { return verdict.Within(0.01); }, 0);
  row += Cells(
      measures, policy, [](const PolicyVerdict& verdict) { return verdict.mean_behind; }, 1);
  return row + "\n";
}

std::string Header() {
  std::string text = fmt::format("{:<{}}", "", kNameWidth);
  for (const char* title : {" led, % ", " within 1 point, % ", " points behind "})
    text += fmt::format(" {:-^19}", title);
  text += fmt::format("\n{:<{}}", "policy", kNameWidth);
  for (int group = 0; group < 3; ++group) {
    for (const char* name : kShort) text += fmt::format("{:>5}", name);
  }
  return text + "\n";
}

std::string LossOf(const SuiteResults& results, const JudgedMeasure& judged, std::size_t policy) {
  const PolicyVerdict& verdict = judged.policies[policy];
  if (verdict.losses.empty()) return {};
  const SuiteLoss& loss = verdict.losses.front();
  std::string text =
      fmt::format("  {:<16}{:>5.1f} in {} to {}", TitleOf(judged.measure), 100 * loss.behind,
                  results.scenarios[loss.scenario].name, results.policies[loss.leader]);
  if (!verdict.rivals.empty()) {
    const SuiteRival& rival = verdict.rivals.front();
    text += fmt::format(";\n{:20}most often to {} ({})", "", results.policies[rival.policy],
                        rival.scenarios);
  }
  return text + "\n";
}

// In the first two measures; the page and JSON have the others.
std::string Losses(const SuiteResults& results, const Measures& measures,
                   const std::vector<std::size_t>& order) {
  std::string text =
      "\nWhere each loses most points, and to whom; and who is most often ahead by more\n"
      "than one:\n";
  for (std::size_t policy : order) {
    const std::string lines =
        LossOf(results, measures[0], policy) + LossOf(results, measures[1], policy);
    if (!lines.empty()) text += results.policies[policy] + "\n" + lines;
  }
  return text;
}

// Each policy and reason once.
std::string Refusals(const SuiteResults& results) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const SuiteScenario& scenario : results.scenarios) {
    for (const SuiteRefusal& refusal : scenario.refusals)
      ++counts[{refusal.policy, refusal.reason}];
  }
  std::string text;
  for (const auto& [what, count] : counts) {
    text += fmt::format("{} could not run in {} of {} scenarios: {}\n", what.first, count,
                        results.scenarios.size(), what.second);
  }
  return text;
}

std::string Facts(const SuiteHeading& heading, const SuiteResults& results,
                  const Measures& measures) {
  std::string text = fmt::format("{} scenarios of {}'s seed {}, {} run{} of each policy in each.\n",
                                 results.scenarios.size(), heading.purpose, heading.seed,
                                 heading.seeds, heading.seeds == 1 ? "" : "s");
  text += fmt::format(
      "hits: overall rate; min: worst agreement; kept: promises kept ({} scenarios\n"
      "have some); rev: revenue, from all failed to all served. Leads are shared\n"
      "within {:.1f} points.\n",
      measures[2].scenarios.size(), 100 * kLeadTolerance);
  return text;
}

}  // namespace

std::string FormatSuiteTable(const SuiteHeading& heading, const SuiteResults& results) {
  Measures measures;
  for (SuiteMeasure measure : kSuiteMeasures) measures.push_back(JudgeSuite(results, measure));
  std::string table = Header();
  const std::vector<std::size_t> order = LeastBehindFirst(measures.front());
  for (std::size_t policy : order) table += Row(results, measures, policy);
  return table + Facts(heading, results, measures) + Refusals(results) +
         Losses(results, measures, order);
}

}  // namespace fairlead
