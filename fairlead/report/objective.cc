#include "fairlead/report/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "fairlead/report/summary.h"
#include "fairlead/report/text_table.h"

namespace fairlead {
namespace {

// What rounding may do to a mean of values that are all equal to the bound.
constexpr double kRounding = 1e-12;

bool Holds(double value, Comparison comparison, double bound, double slack) {
  switch (comparison) {
    case Comparison::kAtLeast: return value >= bound - slack;
    case Comparison::kAtMost: return value <= bound + slack;
    case Comparison::kAbove: return value > bound + slack;
    case Comparison::kBelow: return value < bound - slack;
    case Comparison::kEqual: return std::abs(value - bound) <= slack;
  }
  return false;
}

std::optional<double> ValueIn(const Objective& objective, const RunFigures& run) {
  const std::vector<ScalarFigure> figures = FiguresFor(objective.tenants, run);
  const ScalarFigure* figure = FindFigure(figures, objective.figure);
  return figure == nullptr ? std::nullopt : figure->Number();
}

// Nothing where one of them has none.
std::optional<double> MeanOfRuns(const Objective& objective,
                                 std::span<const RunFigures* const> runs) {
  double sum = 0;
  for (const RunFigures* run : runs) {
    const std::optional<double> value = ValueIn(objective, *run);
    if (!value.has_value()) return std::nullopt;
    sum += *value;
  }
  return runs.empty() ? std::nullopt : std::optional(sum / static_cast<double>(runs.size()));
}

// The runs of a policy and those of its rival on the seeds that both have; all of the policy's
// where no rival is asked for.
struct Compared {
  std::vector<const RunFigures*> runs;
  std::vector<const RunFigures*> rivals;
};

Compared OnCommonSeeds(const PolicyRuns& policy, std::string_view rival,
                       std::span<const RunFigures> all) {
  Compared compared;
  for (const RunFigures* run : policy.runs) {
    const auto other = std::ranges::find_if(all, [&](const RunFigures& candidate) {
      return candidate.policy == rival && candidate.seed == run->seed;
    });
    if (!rival.empty() && other == all.end()) continue;
    compared.runs.push_back(run);
    if (!rival.empty()) compared.rivals.push_back(&*other);
  }
  return compared;
}

ObjectiveVerdict JudgeOne(const Objective& objective, const PolicyRuns& policy,
                          std::span<const RunFigures> all) {
  const Compared compared = OnCommonSeeds(policy, objective.rival, all);
  ObjectiveVerdict verdict{.objective = &objective, .policy = policy.policy};
  for (const RunFigures* run : compared.runs) verdict.seeds.push_back(run->seed);
  if (compared.runs.empty()) return verdict;
  verdict.value = MeanOfRuns(objective, compared.runs);
  verdict.bound =
      objective.rival.empty() ? objective.bound : MeanOfRuns(objective, compared.rivals);
  if (!verdict.value.has_value() || !verdict.bound.has_value()) {
    verdict.met = false;
    return verdict;
  }
  const double slack = verdict.seeds.size() > 1 ? kRounding * std::max(std::abs(*verdict.value),
                                                                       std::abs(*verdict.bound))
                                                : 0;
  verdict.met = Holds(*verdict.value, objective.comparison, *verdict.bound, slack);
  return verdict;
}

bool IsAskedOf(const Objective& objective, std::string_view policy) {
  return (objective.policy.empty() || objective.policy == policy) && objective.rival != policy;
}

std::string FormatBoundTime(double nanoseconds) {
  const TimeUnit unit = TimeUnitFor(nanoseconds);
  return fmt::format("{:.6g}{}", nanoseconds / unit.size, unit.name);
}

}  // namespace

std::vector<ScalarFigure> FiguresFor(std::span<const std::string> tenants, const RunFigures& run) {
  if (tenants.empty()) return ScalarFigures(run);
  const std::set<std::string_view> names(tenants.begin(), tenants.end());
  std::vector<const AgreementFigures*> chosen;
  for (const AgreementFigures& agreement : run.per_agreement) {
    if (names.contains(agreement.tenant)) chosen.push_back(&agreement);
  }
  return FiguresOfAgreements(chosen);
}

std::vector<ObjectiveVerdict> Judge(std::span<const Objective> objectives,
                                    std::span<const RunFigures> runs) {
  std::vector<ObjectiveVerdict> verdicts;
  for (const PolicyRuns& policy : GroupByPolicy(runs)) {
    for (const Objective& objective : objectives) {
      if (IsAskedOf(objective, policy.policy))
        verdicts.push_back(JudgeOne(objective, policy, runs));
    }
  }
  return verdicts;
}

std::string FormatFigure(FigureUnit unit, double value) {
  switch (unit) {
    case FigureUnit::kNumber: return fmt::format("{:.10g}", value);
    case FigureUnit::kShare: return fmt::format("{:.6g}%", 100 * value);
    case FigureUnit::kNanoseconds: return FormatBoundTime(value);
    case FigureUnit::kMicroseconds: return FormatBoundTime(value * 1e3);
    case FigureUnit::kSeconds: return FormatBoundTime(value * 1e9);
  }
  return {};
}

std::string Explain(const ObjectiveVerdict& verdict) {
  const Objective& objective = *verdict.objective;
  if (!verdict.met.has_value())
    return fmt::format("{}: not judged, since {} did not run", objective.text, objective.rival);
  if (!verdict.value.has_value() || !verdict.bound.has_value())
    return fmt::format("{}: there is no value", objective.text);
  std::string text =
      fmt::format("{}: it is {}", objective.text, FormatFigure(objective.unit, *verdict.value));
  if (!objective.rival.empty())
    text += fmt::format(" against {}", FormatFigure(objective.unit, *verdict.bound));
  return text;
}

std::string FormatObjectives(std::span<const ObjectiveVerdict> verdicts) {
  std::string text;
  std::string_view last;
  for (const ObjectiveVerdict& verdict : verdicts) {
    if (std::exchange(last, verdict.policy) != verdict.policy)
      text += fmt::format("Asked of {}:\n", verdict.policy);
    const std::string_view word = !verdict.met.has_value() ? "-" : *verdict.met ? "met" : "NOT MET";
    text += fmt::format("  {:<7}  {}\n", word, Explain(verdict));
  }
  return text;
}

}  // namespace fairlead
