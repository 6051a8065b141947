#include "fairlead/report/hand_over_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "fairlead/report/policy_names.h"
#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

constexpr std::string_view kHandOverTitle = "hand-overs, %";

bool TookTime(const RunFigures& run) {
  return run.hand_overs.shares.has_value() && run.hand_overs.shares->sum() > 0;
}

std::string RowOf(const PolicyRuns& policy, std::size_t width) {
  HandOverShares sum;
  double moves = 0;
  double take_overs = 0;
  for (const RunFigures* run : policy.runs) {
    const HandOverFigures& one = run->hand_overs;
    moves += static_cast<double>(one.moves);
    take_overs += static_cast<double>(one.take_overs);
    if (!one.shares.has_value()) continue;
    sum.boundaries += one.shares->boundaries;
    sum.taking_over += one.shares->taking_over;
    sum.moving += one.shares->moving;
    sum.switching += one.shares->switching;
  }
  const auto runs = static_cast<double>(policy.runs.size());
  const auto percent = [runs](double share) { return 100 * share / runs; };
  return fmt::format("{}  {:>10.2f}  {:>11.2f}  {:>6.2f}  {:>9.2f}  {:>9.0f}  {:>10.0f}\n",
                     NameInRow(policy.policy, width), percent(sum.boundaries),
                     percent(sum.taking_over), percent(sum.moving), percent(sum.switching),
                     moves / runs, take_overs / runs);
}

}  // namespace

std::string FormatGoingOn(std::span<const RunFigures> runs) {
  if (std::ranges::none_of(runs, TookTime)) return {};
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  const std::size_t width = NameWidth(kHandOverTitle, policies, kHandOverTitle.size());
  std::string text =
      fmt::format("{:<{}}  boundaries  taking over  moving  switching      moves  take-overs\n",
                  kHandOverTitle, width);
  for (const PolicyRuns& policy : policies) text += RowOf(policy, width);
  return text;
}

}  // namespace fairlead
