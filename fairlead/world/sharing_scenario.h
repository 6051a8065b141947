// A sharing scenario as YAML: who shares which accelerators, how fast they are for whom, how busy
// agents are. docs/guide/sharing.md has the grammar.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/scenario/files.h"
#include "fairlead/scenario/yaml_reader.h"
#include "fairlead/sharing/round_model.h"

namespace fairlead {

struct SharingScenario {
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  std::vector<std::string> mechanisms;  // canonical
  std::string thresholds = "fixed:0";   // how agents choose them
  std::vector<double> queue_utilities;  // one world each
  std::vector<RoundWorld> worlds;       // for each of them
};

// The profile that a scenario may name is read by `read`, as seen from `file`. Settings take the
// place of what it says.
Result<SharingScenario> ParseSharingScenario(std::string_view file, const std::string& text,
                                             const FileReader& read = ReadFile,
                                             std::span<const Setting> settings = {});

}  // namespace fairlead
