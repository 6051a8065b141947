// What a result must show, and whether it does: 'hit_rate>=80%', 'quiet.worst>=97%',
// 'latency.p99<=20ms', 'revenue>edf-h:drop=early'.
//
// world/objective_text.h reads them; here they are judged. With several seeds the mean over them
// counts, as in the table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/report/figures.h"
#include "fairlead/report/summary.h"

namespace fairlead {

enum class Comparison : std::uint8_t { kAtLeast, kAtMost, kAbove, kBelow, kEqual };

enum class AskedBy : std::uint8_t { kScenario, kCommandLine };

struct Objective {
  std::string text;  // as written
  AskedBy asked_by = AskedBy::kCommandLine;
  std::string policy;                // that it is asked of; empty: of all
  std::vector<std::string> tenants;  // it is about their agreements; empty: about the run
  std::string figure;                // by its path
  FigureUnit unit = FigureUnit::kNumber;
  Comparison comparison = Comparison::kAtLeast;
  double bound = 0;   // in units of the figure
  std::string rival;  // a policy whose figure is the bound instead; empty: none
};

// The figure that an objective about these tenants is about; of the run if there are none.
std::vector<ScalarFigure> FiguresFor(std::span<const std::string> tenants, const RunFigures& run);

// How one policy fared with one objective.
struct ObjectiveVerdict {
  const Objective* objective = nullptr;
  std::string policy;
  std::vector<std::uint64_t> seeds;  // that were judged
  std::optional<double> value;       // the mean over them; nothing where a run has none
  std::optional<double> bound;       // the rival's mean on the same seeds, if there is one
  // Nothing if the rival did not run: then it is not known.
  std::optional<bool> met;
};

// By policy, in the order of their first runs, then by objective. Refers to the objectives. A run
// without the figure does not meet it. A rival is not held to what is asked against itself.
std::vector<ObjectiveVerdict> Judge(std::span<const Objective> objectives,
                                    std::span<const RunFigures> runs);

// "97.5%", "20.4ms", "31200": as people would write a bound.
std::string FormatFigure(FigureUnit unit, double value);

// One line: "quiet.hit_rate>=99%: it is 97.1%".
std::string Explain(const ObjectiveVerdict& verdict);

// All verdicts under the table of results; empty where there is none.
std::string FormatObjectives(std::span<const ObjectiveVerdict> verdicts);

}  // namespace fairlead
