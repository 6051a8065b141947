#include "fairlead/report/guard_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "fairlead/report/policy_names.h"
#include "fairlead/report/summary.h"

namespace fairlead {
namespace {

constexpr std::string_view kGuardTitle = "guard";

std::string GuardRow(const PolicyRuns& policy, std::size_t width) {
  GuardFigures sum;
  double share = 0;
  for (const RunFigures* run : policy.runs) {
    sum.wrong_plans += run->guard->wrong_plans;
    sum.slow_decisions += run->guard->slow_decisions;
    sum.idle_machine += run->guard->idle_machine;
    sum.fallbacks += run->guard->fallbacks;
    if (run->makespan > Duration::zero())
      share += Seconds(run->guard->under_fallback) / Seconds(run->makespan);
  }
  const auto runs = static_cast<double>(policy.runs.size());
  const auto mean = [runs](std::uint64_t count) { return static_cast<double>(count) / runs; };
  return fmt::format("{}  {:>7.4g}  {:>10.4g}  {:>4.4g}  {:>4.4g}  {:>9.4g}  {:>17.1f}\n",
                     NameInRow(policy.policy, width), mean(sum.strikes()), mean(sum.wrong_plans),
                     mean(sum.slow_decisions), mean(sum.idle_machine), mean(sum.fallbacks),
                     100 * share / runs);
}

}  // namespace

std::string FormatGuard(std::span<const RunFigures> runs) {
  if (!std::ranges::all_of(runs, [](const RunFigures& run) { return run.guard.has_value(); }))
    return {};
  const std::vector<PolicyRuns> policies = GroupByPolicy(runs);
  const std::size_t width = NameWidth(kGuardTitle, policies, 17);
  std::string text =
      fmt::format("{:<{}}  strikes  wrong plan  slow  idle  took over  under fallback, %\n",
                  kGuardTitle, width);
  for (const PolicyRuns& policy : policies) text += GuardRow(policy, width);
  return text;
}

}  // namespace fairlead
