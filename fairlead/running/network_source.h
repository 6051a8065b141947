// Where a server finds networks that its scenario does not name: among files of a folder, among the
// built-in ones, and in what clients bring.
#pragma once

#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/scenario/files.h"
#include "fairlead/serving/inference_world.h"
#include "fairlead/world/world.h"

namespace fairlead {

// NAME.onnx, or as Triton has it NAME/1/model.onnx, of which the highest number counts. The world
// outlives the source. Networks are cut into segments as the scenario's are; where that depends on
// their costs, into blocks of ten layers.
NetworkSource NetworkSourceOf(const World& world, FileReader read);

// The file of a network in a folder; none where it has none, or where the name is none for a file.
std::optional<std::string> NetworkFileIn(const std::string& folder, const std::string& network);
std::vector<std::string> NetworkNamesIn(const std::string& folder);

}  // namespace fairlead
