#include "apps/objective.h"

#include <array>
#include <optional>
#include <vector>

#include "fairlead/base/units.h"
#include "fairlead/report/scalar_figures.h"

namespace fairlead {
namespace {

struct Operator {
  std::string_view text;
  Objective::Comparison comparison;
};

// Longer ones first, so that '>=' is not read as '>'.
constexpr std::array<Operator, 6> kOperators = {{{">=", Objective::Comparison::kAtLeast},
                                                 {"<=", Objective::Comparison::kAtMost},
                                                 {"==", Objective::Comparison::kEqual},
                                                 {">", Objective::Comparison::kAbove},
                                                 {"<", Objective::Comparison::kBelow},
                                                 {"=", Objective::Comparison::kEqual}}};

bool Holds(double value, Objective::Comparison comparison, double bound) {
  switch (comparison) {
    case Objective::Comparison::kAtLeast: return value >= bound;
    case Objective::Comparison::kAtMost: return value <= bound;
    case Objective::Comparison::kAbove: return value > bound;
    case Objective::Comparison::kBelow: return value < bound;
    case Objective::Comparison::kEqual: return value == bound;
  }
  return false;
}

}  // namespace

Result<Objective> ParseObjective(std::string_view text) {
  for (const Operator& candidate : kOperators) {
    const std::size_t at = text.find(candidate.text);
    if (at == std::string_view::npos) continue;
    std::string_view figure = text.substr(0, at);
    while (figure.ends_with(' ')) figure.remove_suffix(1);
    const auto bound = ParseNumber(text.substr(at + candidate.text.size()));
    if (figure.empty() || !bound.has_value()) break;
    return Objective{.text = std::string(text),
                     .figure = std::string(figure),
                     .comparison = candidate.comparison,
                     .bound = *bound};
  }
  return Fail("--require '{}' is not an objective; expected for example hit_rate>=0.8", text);
}

Status CheckFigure(const Objective& objective, const Platform& platform) {
  RunFigures none;
  for (const Accelerator& accelerator : platform.accelerators)
    none.busy.push_back(
        {.accelerator = accelerator.name, .kind = platform.kinds[accelerator.kind.index()].name});
  RETURN_IF_ERROR(Judge(objective, none));
  return {};
}

Result<ObjectiveOutcome> Judge(const Objective& objective, const RunFigures& run) {
  const std::vector<ScalarFigure> figures = ScalarFigures(run);
  const ScalarFigure* figure = FindFigure(figures, objective.figure);
  if (figure == nullptr) {
    std::vector<std::string> paths;
    for (const ScalarFigure& known : figures) paths.push_back(known.Path());
    const std::vector<std::string_view> views(paths.begin(), paths.end());
    return Fail("--require: no figure '{}'{}", objective.figure, Suggest(objective.figure, views));
  }
  const std::optional<double> value = figure->Number();
  if (!value.has_value())
    return ObjectiveOutcome{false,
                            fmt::format("{}: {} has no value", objective.text, objective.figure)};
  return ObjectiveOutcome{Holds(*value, objective.comparison, objective.bound),
                          fmt::format("{}: it is {}", objective.text, *value)};
}

}  // namespace fairlead
