#include "fairlead/report/contract_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "fairlead/report/policy_names.h"
#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

constexpr std::string_view kContractsTitle = "beyond contracts";

OutcomeCounts UncoveredOf(std::span<const RunFigures* const> runs) {
  OutcomeCounts counts;
  for (const RunFigures* run : runs) {
    for (const AgreementFigures& agreement : run->per_agreement) counts += agreement.uncovered;
  }
  return counts;
}

}  // namespace

std::string FormatContracts(std::span<const RunFigures> runs) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  const std::size_t width = NameWidth(kContractsTitle, policies);
  std::string rows;
  for (const PolicyRuns& policy : policies) {
    const OutcomeCounts counts = UncoveredOf(policy.runs);
    if (counts.ended() == 0) continue;
    rows +=
        fmt::format("{}  {:>8.0f}  {:>7.1f}\n", NameInRow(policy.policy, width),
                    static_cast<double>(counts.ended()) / static_cast<double>(policy.runs.size()),
                    100 * counts.HitRateOr(0));
  }
  if (rows.empty()) return {};
  return fmt::format("{:<{}}  requests  hits, %\n", kContractsTitle, width) + rows;
}

}  // namespace fairlead
