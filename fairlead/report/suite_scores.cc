#include "fairlead/report/suite_scores.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/statistics.h"
#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

constexpr double kClearly = 0.01;  // ahead by a point

std::optional<double> ValueOf(const SuiteRun& run, SuiteMeasure measure) {
  const RunFigures& figures = run.figures;
  switch (measure) {
    case SuiteMeasure::kHitRate: return figures.hit_rate;
    case SuiteMeasure::kWorstAgreement:
      if (figures.agreements.rates.count == 0) return std::nullopt;
      return figures.agreements.rates.min;
    case SuiteMeasure::kMetShare: return figures.agreements.met_share;
    case SuiteMeasure::kRevenue:
      if (run.stakes.most <= run.stakes.least) return std::nullopt;
      return (figures.revenue - run.stakes.least) / (run.stakes.most - run.stakes.least);
  }
  return std::nullopt;
}

// Whether the seeds leave it open that the second is as good as the first.
bool SeedsAllowTie(const std::vector<double>& best, const std::vector<double>& other) {
  if (best.size() != other.size()) return false;
  const Estimate difference = EstimateDifference(best, other, kSummaryConfidence);
  return difference.half_width.has_value() &&
         difference.mean - *difference.half_width <= kLeadTolerance;
}

double MeanOf(const std::vector<double>& values) { return EstimateMean(values).mean; }

std::optional<JudgedScenario> JudgeScenario(const std::vector<std::vector<double>>& values) {
  JudgedScenario judged;
  std::optional<double> best;
  for (std::size_t p = 0; p < values.size(); ++p) {
    judged.standings.emplace_back();
    if (values[p].empty()) continue;
    judged.standings.back() = SuiteStanding{.mean = MeanOf(values[p])};
    if (best.has_value() && judged.standings.back()->mean <= *best) continue;
    best = judged.standings.back()->mean;
    judged.leader = p;
  }
  if (!best.has_value()) return std::nullopt;
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (!judged.standings[p].has_value()) continue;
    SuiteStanding& standing = *judged.standings[p];
    standing.behind = *best - standing.mean;
    standing.led = standing.behind <= kLeadTolerance;
    standing.may_lead = standing.led || SeedsAllowTie(values[judged.leader], values[p]);
  }
  return judged;
}

std::vector<SuiteRival> RivalsOf(std::size_t policy, const std::vector<JudgedScenario>& judged) {
  std::map<std::size_t, SuiteRival> rivals;
  for (const JudgedScenario& scenario : judged) {
    const auto& own = scenario.standings[policy];
    if (!own.has_value()) continue;
    for (std::size_t p = 0; p < scenario.standings.size(); ++p) {
      const auto& other = scenario.standings[p];
      if (!other.has_value() || other->mean - own->mean <= kClearly) continue;
      SuiteRival& rival = rivals[p];
      rival.policy = p;
      ++rival.scenarios;
      rival.mean_lead += other->mean - own->mean;
    }
  }
  std::vector<SuiteRival> list;
  for (auto& [p, rival] : rivals) {
    rival.mean_lead /= static_cast<double>(rival.scenarios);
    list.push_back(rival);
  }
  std::ranges::stable_sort(list, [](const SuiteRival& a, const SuiteRival& b) {
    return std::pair(a.scenarios, a.mean_lead) > std::pair(b.scenarios, b.mean_lead);
  });
  return list;
}

}  // namespace

std::string_view KeyOf(SuiteMeasure measure) {
  switch (measure) {
    case SuiteMeasure::kHitRate: return "hit_rate";
    case SuiteMeasure::kWorstAgreement: return "worst_agreement";
    case SuiteMeasure::kMetShare: return "met_share";
    case SuiteMeasure::kRevenue: return "revenue";
  }
  return {};
}

std::string_view TitleOf(SuiteMeasure measure) {
  switch (measure) {
    case SuiteMeasure::kHitRate: return "overall rate";
    case SuiteMeasure::kWorstAgreement: return "worst agreement";
    case SuiteMeasure::kMetShare: return "promises kept";
    case SuiteMeasure::kRevenue: return "revenue";
  }
  return {};
}

ScoreTable ScoresOf(const SuiteResults& results, SuiteMeasure measure) {
  ScoreTable table{.policies = results.policies.size()};
  for (const SuiteScenario& scenario : results.scenarios) {
    std::vector<std::vector<double>> row(results.policies.size());
    std::vector<bool> undefined(results.policies.size());
    for (const SuiteRun& run : scenario.runs) {
      const auto found = std::ranges::find(results.policies, run.figures.policy);
      CHECK(found != results.policies.end());
      const auto policy = static_cast<std::size_t>(found - results.policies.begin());
      if (const auto value = ValueOf(run, measure)) {
        row[policy].push_back(*value);
      } else {
        undefined[policy] = true;
      }
    }
    for (std::size_t p = 0; p < row.size(); ++p) {
      if (undefined[p]) row[p].clear();
    }
    table.values.push_back(std::move(row));
  }
  return table;
}

std::vector<JudgedScenario> JudgeScores(const ScoreTable& scores) {
  std::vector<JudgedScenario> judged;
  for (std::size_t s = 0; s < scores.values.size(); ++s) {
    CHECK(scores.values[s].size() == scores.policies);
    if (auto scenario = JudgeScenario(scores.values[s])) {
      scenario->scenario = s;
      judged.push_back(std::move(*scenario));
    }
  }
  return judged;
}

double PolicyVerdict::Within(double distance) const {
  if (scenarios == 0) return 0;
  const auto near = std::ranges::upper_bound(behind, distance) - behind.begin();
  return static_cast<double>(near) / static_cast<double>(scenarios);
}

PolicyVerdict VerdictOn(std::size_t policy, const std::vector<JudgedScenario>& judged) {
  PolicyVerdict verdict{.scenarios = judged.size()};
  for (const JudgedScenario& scenario : judged) {
    const auto& standing = scenario.standings[policy];
    if (!standing.has_value()) continue;
    verdict.led += standing->led ? 1 : 0;
    verdict.may_lead += standing->may_lead ? 1 : 0;
    verdict.mean_behind += standing->behind;
    verdict.behind.push_back(standing->behind);
    if (!standing->led)
      verdict.losses.push_back({scenario.scenario, scenario.leader, standing->behind});
  }
  if (!judged.empty()) {
    verdict.led /= static_cast<double>(judged.size());
    verdict.may_lead /= static_cast<double>(judged.size());
  }
  if (!verdict.behind.empty()) verdict.mean_behind /= static_cast<double>(verdict.behind.size());
  std::ranges::sort(verdict.behind);
  std::ranges::stable_sort(verdict.losses, std::ranges::greater{}, &SuiteLoss::behind);
  verdict.rivals = RivalsOf(policy, judged);
  return verdict;
}

JudgedMeasure JudgeSuite(const SuiteResults& results, SuiteMeasure measure) {
  JudgedMeasure judged{.measure = measure, .scenarios = JudgeScores(ScoresOf(results, measure))};
  for (std::size_t p = 0; p < results.policies.size(); ++p)
    judged.policies.push_back(VerdictOn(p, judged.scenarios));
  return judged;
}

std::vector<std::size_t> LeastBehindFirst(const JudgedMeasure& judged) {
  std::vector<std::size_t> order(judged.policies.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
  std::ranges::stable_sort(order, {}, [&](std::size_t p) {
    const PolicyVerdict& verdict = judged.policies[p];
    return std::pair(verdict.behind.empty(), verdict.mean_behind);
  });
  return order;
}

std::vector<TraitVerdict> VerdictsByTrait(std::size_t policy, const SuiteResults& results,
                                          const std::vector<JudgedScenario>& judged) {
  // Traits in the order in which scenarios name them, their classes by name.
  std::vector<TraitVerdict> verdicts;
  if (results.scenarios.empty()) return verdicts;
  for (std::size_t t = 0; t < results.scenarios.front().traits.size(); ++t) {
    std::map<std::string, TraitVerdict> classes;
    for (const SuiteScenario& scenario : results.scenarios) {
      const SuiteTrait& trait = scenario.traits[t];
      classes[trait.value] = {.name = trait.name, .value = trait.value};
    }
    for (const JudgedScenario& scenario : judged) {
      const auto& standing = scenario.standings[policy];
      if (!standing.has_value()) continue;
      TraitVerdict& verdict = classes[results.scenarios[scenario.scenario].traits[t].value];
      ++verdict.scenarios;
      verdict.mean_behind += standing->behind;
    }
    for (auto& [value, verdict] : classes) {
      if (verdict.scenarios > 0) verdict.mean_behind /= static_cast<double>(verdict.scenarios);
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

}  // namespace fairlead
