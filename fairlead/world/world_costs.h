// Where the costs of a scenario come from: a profile, the measurements of a ready platform, or
// models of its accelerators.
#pragma once

#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/costs/profile.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {

struct ScenarioCosts {
  Profile profile;
  std::vector<std::string> warnings;  // about operators of ONNX files
  std::vector<std::string> notes;     // what is not known, and so costs nothing; one line each
};

// Whether models of its accelerators say what its layers cost: those of LayersOf.
bool HasModelledCosts(const Scenario& scenario);

// Accelerators that the scenario names by a file are called by their own names afterwards.
Result<ScenarioCosts> LoadCosts(Scenario& scenario, const FileReader& read);

}  // namespace fairlead
