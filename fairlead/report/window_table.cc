#include "fairlead/report/window_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "fairlead/report/agreement_sums.h"

namespace fairlead {
namespace {

constexpr std::string_view kWindowsTitle = "windows";
constexpr std::size_t kShownWindowsOfPolicy = 20;

// Of one agreement under one policy, summed over seeds.
struct WatchedWindows {
  std::string tenant;
  std::string network;
  int window = 0;
  int max_misses = 0;
  double runs = 0;
  double kept = 0;  // runs without a violation
  double violated = 0;
  double worst = 1;

  static bool Concerns(const AgreementFigures& agreement) { return agreement.window > 0; }
  void Add(const AgreementFigures& agreement) {
    window = agreement.window;
    max_misses = agreement.max_misses;
    ++runs;
    kept += agreement.window_violations == 0 ? 1 : 0;
    violated += static_cast<double>(agreement.window_violations);
    worst = std::min(worst, agreement.worst_window);
  }
};

std::vector<WatchedWindows> WindowsUnder(const PolicyRuns& policy) {
  std::vector<WatchedWindows> list = SumByAgreement<WatchedWindows>(policy);
  std::ranges::stable_sort(list, [](const WatchedWindows& a, const WatchedWindows& b) {
    return std::tuple(-a.violated, a.worst) < std::tuple(-b.violated, b.worst);
  });
  return list;
}

}  // namespace

std::string FormatWindows(std::span<const RunFigures> runs) {
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  std::size_t width = kWindowsTitle.size();
  for (const PolicyRuns& policy : policies) width = std::max(width, policy.policy.size());
  std::string rows;
  for (const PolicyRuns& policy : policies) {
    WatchedWindows all;
    for (const WatchedWindows& one : WindowsUnder(policy)) {
      all.runs += one.runs;
      all.kept += one.kept;
      all.violated += one.violated;
      all.worst = std::min(all.worst, one.worst);
    }
    if (all.runs == 0) continue;
    const auto seeds = static_cast<double>(policy.runs.size());
    rows += fmt::format("{:<{}}  {:>10.4g}  {:>7.1f}  {:>8.1f}  {:>8.1f}\n", policy.policy, width,
                        all.runs / seeds, 100 * all.kept / all.runs, all.violated / seeds,
                        100 * all.worst);
  }
  if (rows.empty()) return {};
  return fmt::format("{:<{}}  agreements  kept, %  violated  worst, %\n", kWindowsTitle, width) +
         rows;
}

HtmlTable WindowTable(std::span<const PolicyRuns> policies) {
  HtmlTable table{.columns = {"agreement", "policy", "may fail", "violated", "worst window"}};
  std::size_t left_out = 0;
  for (const PolicyRuns& policy : policies) {
    const std::vector<WatchedWindows> list = WindowsUnder(policy);
    const std::size_t shown = std::min(list.size(), kShownWindowsOfPolicy);
    left_out += list.size() - shown;
    for (const WatchedWindows& one : std::span(list).first(shown)) {
      table.rows.push_back({{.text = one.tenant + ": " + one.network},
                            {.text = policy.policy},
                            {.text = fmt::format("{} of {}", one.max_misses, one.window)},
                            {.text = fmt::format("{:.0f}", one.violated)},
                            {.text = fmt::format("{:.1f} %", 100 * one.worst)}});
    }
  }
  table.caption =
      "Windows of consecutive requests in which more failed than may, over all seeds; those with "
      "the most first. Windows overlap. An agreement with one is not met.";
  if (left_out > 0) table.caption += fmt::format(" {} more are not shown.", left_out);
  return table;
}

}  // namespace fairlead
