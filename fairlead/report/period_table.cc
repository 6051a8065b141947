#include "fairlead/report/period_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "fairlead/report/agreement_sums.h"
#include "fairlead/report/policy_names.h"

namespace fairlead {
namespace {

constexpr std::string_view kPeriodsTitle = "periods";
constexpr std::size_t kShownPeriodsOfPolicy = 20;

// Of one agreement under one policy, summed over seeds.
struct JudgedPeriods {
  std::string tenant;
  std::string network;
  double runs = 0;  // in which some were judged
  PeriodVerdicts verdicts;

  static bool Concerns(const AgreementFigures& agreement) {
    return agreement.periods.has_value() && agreement.periods->periods > 0;
  }
  void Add(const AgreementFigures& agreement) { Add(*agreement.periods); }
  void Add(const PeriodVerdicts& other) {
    ++runs;
    verdicts.periods += other.periods;
    verdicts.kept += other.kept;
    verdicts.worst = std::min(verdicts.worst, other.worst);
  }
  double kept() const {
    return static_cast<double>(verdicts.kept) / static_cast<double>(verdicts.periods);
  }
};

// Those that kept least first.
std::vector<JudgedPeriods> PeriodsUnder(const PolicyRuns& policy) {
  std::vector<JudgedPeriods> list = SumByAgreement<JudgedPeriods>(policy);
  std::ranges::stable_sort(list, [](const JudgedPeriods& a, const JudgedPeriods& b) {
    return std::tuple(a.kept(), a.verdicts.worst) < std::tuple(b.kept(), b.verdicts.worst);
  });
  return list;
}

}  // namespace

std::string FormatPeriods(std::span<const RunFigures> runs) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  const std::size_t width = NameWidth(kPeriodsTitle, policies);
  std::string rows;
  for (const PolicyRuns& policy : policies) {
    JudgedPeriods all;
    double agreements = 0;
    for (const JudgedPeriods& one : PeriodsUnder(policy)) {
      agreements += one.runs;
      all.Add(one.verdicts);
    }
    if (agreements == 0) continue;
    const auto seeds = static_cast<double>(policy.runs.size());
    rows += fmt::format("{}  {:>10.4g}  {:>6.4g}  {:>7.1f}  {:>8.1f}\n",
                        NameInRow(policy.policy, width), agreements / seeds,
                        static_cast<double>(all.verdicts.periods) / seeds, 100 * all.kept(),
                        100 * all.verdicts.worst);
  }
  if (rows.empty()) return {};
  return fmt::format("{:<{}}  agreements  judged  kept, %  worst, %\n", kPeriodsTitle, width) +
         rows;
}

HtmlTable PeriodTable(std::span<const PolicyRuns> policies) {
  HtmlTable table{.columns = {"agreement", "policy", "periods", "kept", "worst period"}};
  std::size_t left_out = 0;
  for (const PolicyRuns& policy : policies) {
    const std::vector<JudgedPeriods> list = PeriodsUnder(policy);
    const std::size_t shown = std::min(list.size(), kShownPeriodsOfPolicy);
    left_out += list.size() - shown;
    for (const JudgedPeriods& one : std::span(list).first(shown)) {
      table.rows.push_back({{.text = one.tenant + ": " + one.network},
                            {.text = policy.policy},
                            {.text = std::to_string(one.verdicts.periods)},
                            {.text = fmt::format("{:.1f} %", 100 * one.kept())},
                            {.text = fmt::format("{:.1f} %", 100 * one.verdicts.worst)}});
    }
  }
  table.caption =
      "How many of the periods for which a share is promised kept it, over all seeds; those that "
      "kept least first. Sliding periods overlap.";
  if (left_out > 0) table.caption += fmt::format(" {} more are not shown.", left_out);
  return table;
}

}  // namespace fairlead
