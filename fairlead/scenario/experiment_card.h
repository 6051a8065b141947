// The folders of experiments/, which the program carries within itself: what each asks, how long it
// takes, what would refute it, and the numbers that are expected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/report/experiment_report.h"

namespace fairlead {

struct ExperimentCard {
  std::string name;
  std::string question;
  std::string reproduces;  // of which text; may be empty
  std::string refuted_by;
  std::string time;        // in words: "40 s on one core"
  std::string quick_time;  // with --quick
  std::vector<ExpectedNumber> expected;
  std::vector<ExpectedNumber> expected_quick;
};

// experiments/NAME/experiment.yaml and expected.json.
Result<ExperimentCard> ReadExperimentCard(std::string_view name);
// The same of texts, for tests.
Result<ExperimentCard> ParseExperimentCard(std::string_view name, const std::string& card,
                                           const std::string& expected);

}  // namespace fairlead
