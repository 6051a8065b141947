// A scenario read and resolved, for Python: what runs and environments are made from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/world/world.h"

namespace fairlead {

// The world of a scenario. Bad input raises fairlead.InputError with what the program would print.
struct ScenarioSource {
  std::string file;                 // also what errors call it
  std::optional<std::string> text;  // instead of what the file says
  std::vector<Setting> settings;
  std::string requests;  // a file, instead of the scenario's; may be empty
};
std::shared_ptr<const World> LoadWorldFor(const ScenarioSource& source);

// Where scenarios and data are found that are not here: those that came with the package.
void SetShareFolder(const std::string& folder);
Result<std::string> ReadShared(const std::string& path);

// Raise fairlead.InputError (bad input) and fairlead.RunError (it could not go on).
[[noreturn]] void RaiseInput(const Error& error);
[[noreturn]] void RaiseRun(const Error& error);

}  // namespace fairlead
