// Results as JSON, for scripts: what `simulate -o json` prints.
//
//   {"scenario", "version", "config", "runs": [run, ...], "objectives", "summary"}
//
// Where something was asked for there are objectives, one for each policy that it was asked of:
//
//   {"policy", "objective", "asked_by": "scenario" or "command line", "seeds", "value", "bound",
//    "met"}
//
// `value` and `bound` are in units of the figure, means over `seeds`; `met` is null where the
// policy to compare with did not run. A run has the scalar figures under their names, and
// `per_agreement`; where static-partition ran with its seed also `phi`, what tenants hit over what
// they hit under that ({"against", "min", "mean", "share_at_least_1"}). A figure that could not be
// computed is null; no number is ever NaN. With more than one seed there is a summary:
//
//   {"confidence": 0.95,
//    "policies":    [{"policy", "seeds", "figures"}, ...],
//    "differences": [{"policy", "against", "seeds", "figures"}, ...]}
//
// whose figures have the shape of a run's, each number replaced by {"mean", "interval": [low,
// high], "count"}: the mean over `count` seeds and its confidence interval, null with one seed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fairlead/report/figures.h"
#include "fairlead/report/json_text.h"
#include "fairlead/report/objective.h"

namespace fairlead {

struct ReportHeading {
  std::string scenario;
  std::string version;
  std::string config;  // the resolved configuration, as JSON; an empty text is null
};

// Ends with a newline. The heading's config must be JSON.
std::string FormatJson(const ReportHeading& heading, std::span<const RunFigures> runs,
                       std::span<const ObjectiveVerdict> verdicts = {});

// The same into an object that is open, for results of several.
void PutResults(JsonText& json, const ReportHeading& heading, std::span<const RunFigures> runs,
                std::span<const ObjectiveVerdict> verdicts);

// A run alone: with `per_agreement` or without.
enum class RunDetail : std::uint8_t { kAgreements, kScalars };
void PutRun(JsonText& json, const RunFigures& run, RunDetail detail);

}  // namespace fairlead
