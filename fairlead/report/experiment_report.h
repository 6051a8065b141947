// An experiment for people and scripts: what `fairlead experiment` prints and writes.
//
// JSON: {"experiment", "version", "command", "question", "refuted_by", "quick", "findings",
// "numbers": [{"name", "mean", "half_width", "count", "expected", "tolerance", "as_expected"}],
// "as_expected"}. `half_width` is of the 95 % interval, null with fewer than two values; the last
// three of a number are null where nothing is expected of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fairlead/report/experiment_results.h"

namespace fairlead {

struct ExpectedNumber {
  std::string name;
  double value = 0;
  double tolerance = 0;  // in the number's own unit
};

struct ExperimentHeading {
  std::string name;
  std::string question;
  std::string reproduces;
  std::string refuted_by;
  std::string command;
  std::string version;
  bool quick = false;
};

struct JudgedExperiment {
  ExperimentHeading heading;
  ExperimentResults results;
  std::vector<ExpectedNumber> expected;
};

// What is wrong: numbers outside their tolerance, and such as were expected and are not there.
std::vector<std::string> Surprises(const JudgedExperiment& experiment);

std::string FormatExperimentTable(const JudgedExperiment& experiment);
std::string FormatExperimentJson(const JudgedExperiment& experiment);
std::string FormatExperimentPage(const JudgedExperiment& experiment);

}  // namespace fairlead
