#include "fairlead/running/search_goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fairlead/base/units.h"
#include "fairlead/scenario/split.h"

namespace fairlead {
namespace {

constexpr std::array<std::string_view, 5> kGoalNames = {"goodput", "slo99-throughput", "throughput",
                                                        "fairness", "energy"};

}  // namespace

Result<SearchGoal> ParseSearchGoal(std::string_view text) {
  SearchGoal goal{.parts = {}};
  for (const std::string_view part : SplitAt(text, '+')) {
    const std::size_t colon = part.find(':');
    const auto name = std::ranges::find(kGoalNames, part.substr(0, colon));
    if (name == kGoalNames.end())
      return Fail("unknown goal '{}'; expected {}, or a mix as goodput:0.7+fairness:0.3",
                  part.substr(0, colon), fmt::join(kGoalNames, ", "));
    SearchGoal::Part found{static_cast<GoalKind>(name - kGoalNames.begin()), 1};
    if (colon != std::string_view::npos) {
      ASSIGN_OR_RETURN(found.weight, ParseNumber(part.substr(colon + 1)));
      if (found.weight <= 0 || found.weight > 1e6)
        return Fail("goal '{}': expected a weight above 0", part);
    }
    goal.parts.push_back(found);
  }
  return goal;
}

std::string FormatSearchGoal(const SearchGoal& goal) {
  std::string text;
  for (const SearchGoal::Part& part : goal.parts) {
    if (!text.empty()) text += '+';
    text += kGoalNames[static_cast<std::size_t>(part.kind)];
    if (part.weight != 1) text += fmt::format(":{}", part.weight);
  }
  return text;
}

}  // namespace fairlead
