#include "fairlead/report/suite_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

std::string Share(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

HtmlTable VerdictTable(const SuiteResults& results, std::span<const JudgedMeasure> measures) {
  HtmlTable table{.caption =
                      "Shares of scenarios in which a policy led, and (below) in which the "
                      "seeds leave it open that it did; was within 1 and 5 points of the "
                      "best; and how many points it is behind on average.",
                  .columns = {"policy"},
                  .rows = {}};
  for (const JudgedMeasure& judged : measures) {
    for (const char* what : {"led", "within 1", "within 5", "behind"})
      table.columns.push_back(fmt::format("{}: {}", TitleOf(judged.measure), what));
  }
  for (std::size_t policy : LeastBehindFirst(measures.front())) {
    std::vector<HtmlCell> row = {{.text = results.policies[policy]}};
    for (const JudgedMeasure& judged : measures) {
      const PolicyVerdict& verdict = judged.policies[policy];
      if (verdict.behind.empty()) {
        row.insert(row.end(), 4, HtmlCell{.text = "\u2013"});
        continue;
      }
      row.push_back({.text = Share(verdict.led), .note = Share(verdict.may_lead)});
      row.push_back({.text = Share(verdict.Within(0.01))});
      row.push_back({.text = Share(verdict.Within(0.05))});
      row.push_back({.text = fmt::format("{:.1f}", 100 * verdict.mean_behind)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable LossTable(const SuiteResults& results, const JudgedMeasure& judged) {
  HtmlTable table{
      .caption = fmt::format("{}: the scenarios in which each policy is furthest behind, with the "
                             "one that led, and those that are most often ahead by more than a "
                             "point.",
                             TitleOf(judged.measure)),
      .columns = {"policy", "loses most", "second", "third", "rival", "second", "third"},
      .rows = {}};
  constexpr std::size_t kEach = 3;
  for (std::size_t policy : LeastBehindFirst(judged)) {
    const PolicyVerdict& verdict = judged.policies[policy];
    std::vector<HtmlCell> row = {{.text = results.policies[policy]}};
    for (std::size_t i = 0; i < kEach; ++i) {
      if (i >= verdict.losses.size()) {
        row.emplace_back();
        continue;
      }
      const SuiteLoss& loss = verdict.losses[i];
      row.push_back({.text = fmt::format("{:.1f} in {}", 100 * loss.behind,
                                         results.scenarios[loss.scenario].name),
                     .note = "to " + results.policies[loss.leader]});
    }
    for (std::size_t i = 0; i < kEach; ++i) {
      if (i >= verdict.rivals.size()) {
        row.emplace_back();
        continue;
      }
      const SuiteRival& rival = verdict.rivals[i];
      row.push_back(
          {.text = results.policies[rival.policy],
           .note = fmt::format("{} times, by {:.1f}", rival.scenarios, 100 * rival.mean_lead)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable WhereTable(const SuiteResults& results, const JudgedMeasure& judged) {
  HtmlTable table{
      .caption = fmt::format("{}: how many points each policy is behind the best on average, in "
                             "scenarios of each class. Strong: the least of its column.",
                             TitleOf(judged.measure)),
      .columns = {"policy"},
      .rows = {}};
  std::vector<double> least;
  std::vector<std::vector<TraitVerdict>> verdicts;
  const std::vector<std::size_t> order = LeastBehindFirst(judged);
  for (std::size_t policy : order) {
    verdicts.push_back(VerdictsByTrait(policy, results, judged.scenarios));
    least.resize(verdicts.back().size(), 1e9);
    for (std::size_t t = 0; t < least.size(); ++t) {
      if (verdicts.back()[t].scenarios > 0)
        least[t] = std::min(least[t], verdicts.back()[t].mean_behind);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::vector<HtmlCell> row = {{.text = results.policies[order[i]]}};
    for (std::size_t t = 0; t < least.size(); ++t) {
      const TraitVerdict& verdict = verdicts[i][t];
      if (i == 0)
        table.columns.push_back(
            fmt::format("{}: {} ({})", verdict.name, verdict.value, verdict.scenarios));
      if (verdict.scenarios == 0) {
        row.push_back({.text = "\u2013"});
        continue;
      }
      row.push_back({.text = fmt::format("{:.1f}", 100 * verdict.mean_behind),
                     .strong = verdict.mean_behind <= least[t]});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable ScenarioTable(const SuiteResults& results, std::span<const JudgedMeasure> measures) {
  HtmlTable table{.caption = "Every scenario: what it is like, and who leads in each measure.",
                  .columns = {"scenario"},
                  .rows = {}};
  if (results.scenarios.empty()) return table;
  for (const SuiteTrait& trait : results.scenarios.front().traits)
    table.columns.push_back(trait.name);
  for (const JudgedMeasure& judged : measures) table.columns.emplace_back(TitleOf(judged.measure));
  for (std::size_t s = 0; s < results.scenarios.size(); ++s) {
    std::vector<HtmlCell> row = {{.text = results.scenarios[s].name}};
    for (const SuiteTrait& trait : results.scenarios[s].traits)
      row.push_back({.text = trait.value});
    for (const JudgedMeasure& judged : measures) {
      const auto found = std::ranges::find(judged.scenarios, s, &JudgedScenario::scenario);
      if (found == judged.scenarios.end()) {
        row.push_back({.text = "\u2013"});
        continue;
      }
      const auto leads = std::ranges::count_if(
          found->standings, [](const auto& standing) { return standing && standing->led; });
      row.push_back({.text = fmt::format("{:.1f} %", 100 * found->standings[found->leader]->mean),
                     .note = results.policies[found->leader] +
                             (leads > 1 ? fmt::format(" and {} more", leads - 1) : std::string())});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable RefusalTable(const SuiteResults& results) {
  HtmlTable table{.caption = "Policies that could not run, and why.",
                  .columns = {"policy", "scenario", "why"},
                  .rows = {}};
  for (const SuiteScenario& scenario : results.scenarios) {
    for (const SuiteRefusal& refusal : scenario.refusals)
      table.rows.push_back(
          {{.text = refusal.policy}, {.text = scenario.name}, {.text = refusal.reason}});
  }
  return table;
}

}  // namespace fairlead
