#include "fairlead/report/summary.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/report/scalar_figures.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostPoliciesInPairs = 8;

struct SeedFigures {
  std::uint64_t seed;
  std::vector<ScalarFigure> figures;
};

struct PolicyFigures {
  std::string policy;
  std::vector<SeedFigures> seeds;
};

PolicyFigures FiguresOf(const PolicyRuns& group) {
  PolicyFigures result{.policy = group.policy, .seeds = {}};
  for (const RunFigures* run : group.runs) {
    result.seeds.push_back({run->seed, ScalarFigures(*run)});
    CHECK(result.seeds.back().figures.size() == result.seeds.front().figures.size());
  }
  return result;
}

PolicySummary SumUp(const PolicyFigures& policy) {
  PolicySummary summary{.policy = policy.policy, .seeds = {}, .figures = {}};
  for (const SeedFigures& one : policy.seeds) summary.seeds.push_back(one.seed);
  const std::vector<ScalarFigure>& names = policy.seeds.front().figures;
  for (std::size_t f = 0; f < names.size(); ++f) {
    std::vector<double> values;
    for (const SeedFigures& one : policy.seeds) {
      if (const auto value = one.figures[f].Number()) values.push_back(*value);
    }
    summary.figures.push_back(
        {names[f].group, names[f].name, EstimateMean(values, kSummaryConfidence)});
  }
  return summary;
}

PolicyDifference Compare(const PolicyFigures& policy, const PolicyFigures& against) {
  PolicyDifference difference{
      .policy = policy.policy, .against = against.policy, .seeds = {}, .figures = {}};
  struct Pair {
    const SeedFigures* ours;
    const SeedFigures* theirs;
  };
  std::vector<Pair> pairs;
  for (const SeedFigures& ours : policy.seeds) {
    const auto theirs = std::ranges::find(against.seeds, ours.seed, &SeedFigures::seed);
    if (theirs == against.seeds.end()) continue;
    pairs.push_back({&ours, &*theirs});
    difference.seeds.push_back(ours.seed);
  }
  const std::vector<ScalarFigure>& names = policy.seeds.front().figures;
  for (std::size_t f = 0; f < names.size(); ++f) {
    std::vector<double> ours;
    std::vector<double> theirs;
    for (const Pair& pair : pairs) {
      const auto one = pair.ours->figures[f].Number();
      const auto other = pair.theirs->figures[f].Number();
      if (!one.has_value() || !other.has_value()) continue;
      ours.push_back(*one);
      theirs.push_back(*other);
    }
    difference.figures.push_back(
        {names[f].group, names[f].name, EstimateDifference(ours, theirs, kSummaryConfidence)});
  }
  return difference;
}

}  // namespace

Estimate FindEstimate(std::span<const SummaryFigure> figures, std::string_view path) {
  const auto found = std::ranges::find(figures, path, &SummaryFigure::Path);
  return found == figures.end() ? Estimate{} : found->estimate;
}

std::vector<PolicyRuns> GroupByPolicy(std::span<const RunFigures> runs) {
  std::vector<PolicyRuns> groups;
  for (const RunFigures& run : runs) {
    auto group = std::ranges::find(groups, run.policy, &PolicyRuns::policy);
    if (group == groups.end()) {
      groups.push_back({run.policy, {}});
      group = groups.end() - 1;
    }
    group->runs.push_back(&run);
  }
  return groups;
}

Summary Summarise(std::span<const RunFigures> runs) {
  std::vector<PolicyFigures> policies;
  for (const PolicyRuns& group : GroupByPolicy(runs)) policies.push_back(FiguresOf(group));
  Summary summary;
  for (const PolicyFigures& policy : policies) summary.policies.push_back(SumUp(policy));
  const bool all_pairs = policies.size() <= kMostPoliciesInPairs;
  for (std::size_t a = 0; a < policies.size(); ++a) {
    for (std::size_t p = a + 1; p < policies.size(); ++p)
      summary.differences.push_back(Compare(policies[p], policies[a]));
    if (!all_pairs) break;
  }
  return summary;
}

}  // namespace fairlead
