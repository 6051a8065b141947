#include "fairlead/report/sacrifice_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/report/agreement_sums.h"
#include "fairlead/report/policy_names.h"

namespace fairlead {
namespace {

constexpr std::string_view kSacrificesTitle = "promises given up";
constexpr std::size_t kShownOfPolicy = 20;
constexpr const char* kFallback = ", its fallback";

// Of one agreement under one policy, summed over seeds.
struct GivenUp {
  std::string tenant;
  std::string network;
  double runs = 0;  // in which it was given up
  double share = 0;
  OutcomeCounts counts;

  static bool Concerns(const AgreementFigures& agreement) { return agreement.sacrificed.times > 0; }
  void Add(const AgreementFigures& agreement) { Add(agreement.sacrificed); }
  void Add(const SacrificeFigures& sacrificed) {
    ++runs;
    share += sacrificed.share;
    counts += sacrificed.counts;
  }
};

// The same by the fallback that stood in for the policy.
struct GivenUpByFallback : GivenUp {
  static bool Concerns(const AgreementFigures& agreement) {
    return agreement.sacrificed_by_fallback.times > 0;
  }
  void Add(const AgreementFigures& agreement) { GivenUp::Add(agreement.sacrificed_by_fallback); }
};

// The longest first.
template <typename Sum>
std::vector<Sum> GivenUpUnder(const PolicyRuns& policy) {
  std::vector<Sum> list = SumByAgreement<Sum>(policy);
  std::ranges::stable_sort(list, std::ranges::greater{}, &Sum::share);
  return list;
}

std::string HitsOf(const OutcomeCounts& counts) {
  return counts.ended() == 0 ? "-" : fmt::format("{:.1f}", 100 * counts.HitRateOr(0));
}

// Of one policy.
struct SacrificeRow {
  std::string name;
  std::string figures;
};

template <typename Sum>
void AddRow(const PolicyRuns& policy, std::string name, std::vector<SacrificeRow>& rows) {
  Sum all;
  for (const Sum& one : GivenUpUnder<Sum>(policy)) {
    all.runs += one.runs;
    all.share += one.share;
    all.counts += one.counts;
  }
  if (all.runs == 0) return;
  const auto seeds = static_cast<double>(policy.runs.size());
  rows.push_back({std::move(name), fmt::format("  {:>10.4g}  {:>13.1f}  {:>8.0f}  {:>7}",
                                               all.runs / seeds, 100 * all.share / all.runs,
                                               static_cast<double>(all.counts.ended()) / seeds,
                                               HitsOf(all.counts))});
}

template <typename Sum>
void AddRows(const PolicyRuns& policy, const std::string& name, std::size_t& left_out,
             HtmlTable& table) {
  const std::vector<Sum> list = GivenUpUnder<Sum>(policy);
  const std::size_t shown = std::min(list.size(), kShownOfPolicy);
  left_out += list.size() - shown;
  const auto seeds = static_cast<double>(policy.runs.size());
  for (const Sum& one : std::span(list).first(shown)) {
    table.rows.push_back(
        {{.text = one.tenant + ": " + one.network},
         {.text = name},
         {.text = fmt::format("{} of {}", one.runs, policy.runs.size())},
         {.text = fmt::format("{:.1f} %", 100 * one.share / seeds)},
         {.text = fmt::format("{:.4g}", static_cast<double>(one.counts.ended()) / seeds)},
         {.text = HitsOf(one.counts)}});
  }
}

}  // namespace

std::string FormatSacrifices(std::span<const RunFigures> runs) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  std::vector<SacrificeRow> rows;
  for (const PolicyRuns& policy : policies) {
    AddRow<GivenUp>(policy, policy.policy, rows);
    AddRow<GivenUpByFallback>(policy, policy.policy + kFallback, rows);
  }
  if (rows.empty()) return {};
  const std::size_t width = NameWidth(kSacrificesTitle, policies);
  std::string text = fmt::format("{:<{}}  agreements  of the run, %  requests  hits, %\n",
                                 kSacrificesTitle, width);
  for (const SacrificeRow& row : rows)
    text += fmt::format("{}{}\n", NameInRow(row.name, width), row.figures);
  return text;
}

HtmlTable SacrificeTable(std::span<const PolicyRuns> policies) {
  HtmlTable table{.columns = {"agreement", "policy", "runs", "share of the run",
                              "requests ended meanwhile", "of these hits, %"}};
  std::size_t left_out = 0;
  for (const PolicyRuns& policy : policies) {
    AddRows<GivenUp>(policy, policy.policy, left_out, table);
    AddRows<GivenUpByFallback>(policy, policy.policy + kFallback, left_out, table);
  }
  table.caption =
      "Whose promise a policy gave up for a while, so that others were kept; means over all its "
      "runs, the longest first.";
  if (left_out > 0) table.caption += fmt::format(" {} more are not shown.", left_out);
  return table;
}

}  // namespace fairlead
