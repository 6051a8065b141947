#include "fairlead/report/sacrifice_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "fairlead/report/agreement_sums.h"
#include "fairlead/report/policy_names.h"

namespace fairlead {
namespace {

constexpr std::string_view kSacrificesTitle = "promises given up";
constexpr std::size_t kShownOfPolicy = 20;

// Of one agreement under one policy, summed over seeds.
struct GivenUp {
  std::string tenant;
  std::string network;
  double runs = 0;  // in which it was given up
  double share = 0;
  OutcomeCounts counts;

  static bool Concerns(const AgreementFigures& agreement) { return agreement.sacrificed.times > 0; }
  void Add(const AgreementFigures& agreement) {
    ++runs;
    share += agreement.sacrificed.share;
    counts += agreement.sacrificed.counts;
  }
};

// The longest first.
std::vector<GivenUp> GivenUpUnder(const PolicyRuns& policy) {
  std::vector<GivenUp> list = SumByAgreement<GivenUp>(policy);
  std::ranges::stable_sort(list, std::ranges::greater{}, &GivenUp::share);
  return list;
}

std::string HitsOf(const OutcomeCounts& counts) {
  return counts.ended() == 0 ? "-" : fmt::format("{:.1f}", 100 * counts.HitRateOr(0));
}

}  // namespace

std::string FormatSacrifices(std::span<const RunFigures> runs) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  const std::size_t width = NameWidth(kSacrificesTitle, policies);
  std::string rows;
  for (const PolicyRuns& policy : policies) {
    GivenUp all;
    for (const GivenUp& one : GivenUpUnder(policy)) {
      all.runs += one.runs;
      all.share += one.share;
      all.counts += one.counts;
    }
    if (all.runs == 0) continue;
    const auto seeds = static_cast<double>(policy.runs.size());
    rows +=
        fmt::format("{}  {:>10.4g}  {:>13.1f}  {:>8.0f}  {:>7}\n", NameInRow(policy.policy, width),
                    all.runs / seeds, 100 * all.share / all.runs,
                    static_cast<double>(all.counts.ended()) / seeds, HitsOf(all.counts));
  }
  if (rows.empty()) return {};
  return fmt::format("{:<{}}  agreements  of the run, %  requests  hits, %\n", kSacrificesTitle,
                     width) +
         rows;
}

HtmlTable SacrificeTable(std::span<const PolicyRuns> policies) {
  HtmlTable table{.columns = {"agreement", "policy", "runs", "share of the run",
                              "requests ended meanwhile", "of these hits, %"}};
  std::size_t left_out = 0;
  for (const PolicyRuns& policy : policies) {
    const std::vector<GivenUp> list = GivenUpUnder(policy);
    const std::size_t shown = std::min(list.size(), kShownOfPolicy);
    left_out += list.size() - shown;
    const auto seeds = static_cast<double>(policy.runs.size());
    for (const GivenUp& one : std::span(list).first(shown)) {
      table.rows.push_back(
          {{.text = one.tenant + ": " + one.network},
           {.text = policy.policy},
           {.text = fmt::format("{} of {}", one.runs, policy.runs.size())},
           {.text = fmt::format("{:.1f} %", 100 * one.share / seeds)},
           {.text = fmt::format("{:.4g}", static_cast<double>(one.counts.ended()) / seeds)},
           {.text = HitsOf(one.counts)}});
    }
  }
  table.caption =
      "Whose promise a policy gave up for a while, so that others were kept; means over all its "
      "runs, the longest first.";
  if (left_out > 0) table.caption += fmt::format(" {} more are not shown.", left_out);
  return table;
}

}  // namespace fairlead
