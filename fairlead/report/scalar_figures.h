// The figures of a run that are single numbers, by name: what the JSON shows, what can be averaged
// over seeds, compared between policies, and asked for by an objective.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fairlead/report/figures.h"

namespace fairlead {

// What a figure is, and so how people write a bound for it: 2500, 97%, 20ms.
enum class FigureUnit : std::uint8_t { kNumber, kShare, kNanoseconds, kMicroseconds, kSeconds };

struct ScalarFigure {
  std::string group;  // "agreements"; empty at the top
  std::string name;   // "min"
  // Counts and nanoseconds are whole; nothing where the figure could not be computed.
  std::variant<std::monostate, std::int64_t, double> value;
  FigureUnit unit = FigureUnit::kNumber;

  // "agreements.min", "hit_rate"
  std::string Path() const { return group.empty() ? name : group + "." + name; }
  std::optional<double> Number() const;
};

// In the order of the JSON. Runs on one platform have the same figures in the same places.
std::vector<ScalarFigure> ScalarFigures(const RunFigures& run);

// The figures of some agreements of the run: those of `agreements`, and `hit_rate` (hits over
// covered requests), `worst` (min), `promises_kept` (met_share), `requests`, `hits`, `covered`,
// `uncovered` and `window_violations`, `periods_kept` (of those judged), `sacrificed_share` (of the
// run, the mean of these agreements) and `revenue`. All at the top.
std::vector<ScalarFigure> FiguresOfAgreements(std::span<const AgreementFigures* const> agreements);

// The figure with this path; null where there is none.
const ScalarFigure* FindFigure(const std::vector<ScalarFigure>& figures, std::string_view path);

}  // namespace fairlead
