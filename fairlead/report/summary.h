// The figures of a run that are single numbers, by name: what the JSON shows, what can be averaged
// over seeds, compared between policies, and asked for by an objective.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/base/statistics.h"
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

// Several seeds summed up: what each policy reaches on average, and how policies differ on common
// seeds. Pairing takes the luck of the arrivals out of a comparison, so that differences are often
// certain where the averages overlap.

inline constexpr double kSummaryConfidence = 0.95;

struct SummaryFigure {
  std::string group;  // as in ScalarFigure
  std::string name;
  Estimate estimate;  // over the seeds that have the figure; a count of 0: none has

  std::string Path() const { return group.empty() ? name : group + "." + name; }
};

// The estimate with this path ("agreements.min"); one of no values where there is none.
Estimate FindEstimate(std::span<const SummaryFigure> figures, std::string_view path);

struct PolicySummary {
  std::string policy;
  std::vector<std::uint64_t> seeds;
  std::vector<SummaryFigure> figures;
};

struct PolicyDifference {
  std::string policy;
  std::string against;               // figures are `policy` minus `against`
  std::vector<std::uint64_t> seeds;  // that both ran
  std::vector<SummaryFigure> figures;
};

struct Summary {
  std::vector<PolicySummary> policies;        // by their first run
  std::vector<PolicyDifference> differences;  // all pairs of up to 8 policies; else each with the
                                              // first
};

// The runs of one platform. No policy has a seed twice.
Summary Summarise(std::span<const RunFigures> runs);

// The runs of one policy.
struct PolicyRuns {
  std::string policy;
  std::vector<const RunFigures*> runs;
};

// Policies in the order of their first runs.
std::vector<PolicyRuns> GroupByPolicy(std::span<const RunFigures> runs);

}  // namespace fairlead
