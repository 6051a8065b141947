#include "fairlead/report/kind_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "fairlead/report/policy_names.h"
#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

constexpr std::string_view kBusyTitle = "busy, %";

double MeanShare(std::span<const RunFigures* const> runs, std::string_view kind) {
  double sum = 0;
  for (const RunFigures* run : runs) {
    for (const KindShare& busy : BusyByKind(run->busy)) sum += busy.kind == kind ? busy.share : 0;
  }
  return sum / static_cast<double>(runs.size());
}

std::string Preferences(std::span<const RunFigures> runs, std::span<const KindShare> kinds) {
  double known = 0;
  double undecided = 0;
  std::vector<double> shares(kinds.size());
  for (const RunFigures& run : runs) {
    if (!run.work_prefers.has_value()) continue;
    ++known;
    undecided += run.work_prefers->undecided;
    for (const KindShare& share : run.work_prefers->kinds) {
      const auto at = std::ranges::find(kinds, share.kind, &KindShare::kind) - kinds.begin();
      if (at < std::ssize(kinds)) shares[static_cast<std::size_t>(at)] += share.share;
    }
  }
  if (known == 0) return {};
  std::string text =
      fmt::format("Work at least {:.0f} % faster on one kind:", 100 * (kClearlyFaster - 1));
  for (std::size_t k = 0; k < kinds.size(); ++k)
    text +=
        fmt::format("{} {} {:.0f} %", k == 0 ? "" : ",", kinds[k].kind, 100 * shares[k] / known);
  return text + fmt::format("; on none {:.0f} %.\n", 100 * undecided / known);
}

}  // namespace

std::string FormatKinds(std::span<const RunFigures> runs) {
  if (runs.empty()) return {};
  const std::vector<KindShare> kinds = BusyByKind(runs.front().busy);
  if (kinds.size() < 2) return {};
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  const std::size_t width = NameWidth(kBusyTitle, policies);
  std::string text = fmt::format("{:<{}}", kBusyTitle, width);
  for (const KindShare& kind : kinds) text += fmt::format("  {:>5}", kind.kind);
  text += "\n";
  for (const PolicyRuns& policy : policies) {
    text += NameInRow(policy.policy, width);
    for (const KindShare& kind : kinds)
      text += fmt::format("  {:>{}.1f}", 100 * MeanShare(policy.runs, kind.kind),
                          std::max<std::size_t>(kind.kind.size(), 5));
    text += "\n";
  }
  return text + Preferences(runs, kinds);
}

}  // namespace fairlead
