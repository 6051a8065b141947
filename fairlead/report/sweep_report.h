// Results along what was varied: `simulate --set platform.bandwidth=8,16,32GB/s`, and several
// scenarios in one report.
//
//   platform.bandwidth  policy  requests   hits  worst   met     p99
//                                             %      %     %      ms
//   8GB/s               edf-h       1200   71.2   40.0  50.0   45.20
//   16GB/s              edf-h       1200   88.4   61.0  75.0   31.02
#pragma once

#include <string>
#include <vector>

#include "fairlead/report/agreement_table.h"
#include "fairlead/report/figures.h"
#include "fairlead/report/objective.h"
#include "fairlead/report/run_json.h"

namespace fairlead {

struct SweptPoint {
  ReportHeading heading;
  std::vector<std::string> values;  // by key
  std::vector<RunFigures> runs;
  std::vector<ObjectiveVerdict> verdicts;
};

struct SweepResults {
  std::vector<std::string> keys;  // that have several values; "scenario" is its name
  std::vector<SweptPoint> points;
  std::string command;
};

// Agreements, where they are asked for, stand below, point by point.
std::string FormatSweepTable(const SweepResults& results, AgreementsShown shown);

// {"keys", "points": [{"set": {key: value}, and what json.h says of a scenario}, ...]}
std::string FormatSweepJson(const SweepResults& results);

// A line for each agreement of each run, as for a single scenario, after what was varied.
std::string FormatSweepCsv(const SweepResults& results);

// Figures along the first key, one set for each combination of the others; numbers in a table.
std::string FormatSweepPage(const SweepResults& results);

}  // namespace fairlead
