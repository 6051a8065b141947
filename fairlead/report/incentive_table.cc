#include "fairlead/report/incentive_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "fairlead/base/statistics.h"
#include "fairlead/fairness/sharing_measures.h"
#include "fairlead/report/policy_names.h"
#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

constexpr std::string_view kExclusive = "static-partition";

bool IsExclusive(const RunFigures& run) {
  return run.policy == kExclusive || run.policy.starts_with(std::string(kExclusive) + ":");
}

std::map<std::string, double> HitsByTenant(const RunFigures& run) {
  std::map<std::string, double> hits;
  for (const AgreementFigures& agreement : run.per_agreement)
    hits[agreement.tenant] +=
        static_cast<double>(agreement.counts.hits() + agreement.uncovered.hits());
  return hits;
}

}  // namespace

std::optional<IncentiveFigures> IncentivesOf(const RunFigures& run,
                                             std::span<const RunFigures> runs) {
  if (IsExclusive(run)) return std::nullopt;
  const auto exclusive = std::ranges::find_if(runs, [&run](const RunFigures& other) {
    return IsExclusive(other) && other.seed == run.seed;
  });
  if (exclusive == runs.end()) return std::nullopt;
  const std::map<std::string, double> alone = HitsByTenant(*exclusive);
  IncentiveFigures figures{.against = exclusive->policy, .phi = {}};
  for (const auto& [tenant, hits] : HitsByTenant(run)) {
    const auto found = alone.find(tenant);
    figures.phi.push_back(SharingIncentive(hits, found == alone.end() ? 0 : found->second));
  }
  if (figures.phi.empty()) return std::nullopt;
  figures.gaining =
      static_cast<double>(std::ranges::count_if(figures.phi, [](double phi) { return phi >= 1; })) /
      static_cast<double>(figures.phi.size());
  return figures;
}

std::string FormatIncentives(std::span<const RunFigures> runs) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  constexpr std::string_view kIncentivesTitle = "phi against static-partition";
  const std::size_t width = NameWidth(kIncentivesTitle, policies);
  std::string rows;
  for (const PolicyRuns& policy : policies) {
    std::vector<double> gaining;
    std::vector<double> means;
    double least = 0;
    for (const RunFigures* run : policy.runs) {
      const auto figures = IncentivesOf(*run, runs);
      if (!figures.has_value()) continue;
      const Distribution phi = Describe(figures->phi);
      least = means.empty() ? phi.min : std::min(least, phi.min);
      gaining.push_back(figures->gaining);
      means.push_back(phi.mean);
    }
    if (means.empty()) continue;
    rows += fmt::format("{}{:>24.1f}{:>7.3f}{:>7.3f}\n", NameInRow(policy.policy, width),
                        100 * EstimateMean(gaining).mean, least, EstimateMean(means).mean);
  }
  if (rows.empty()) return {};
  return fmt::format("{:<{}}{:>24}{:>7}{:>7}\n", kIncentivesTitle, width, "of tenants >= 1, %",
                     "min", "mean") +
         rows;
}

}  // namespace fairlead
