// One run as JSON: the part that all results in JSON share.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fairlead/report/figures.h"

namespace fairlead {

enum class RunDetail : std::uint8_t { kAgreements, kScalars };  // with `per_agreement` or without

nlohmann::ordered_json NumberOrNull(double value);  // null where it is not finite
// Where results have it: in the group's object, or at the top.
void PutFigure(nlohmann::ordered_json& object, const std::string& group, const std::string& name,
               nlohmann::ordered_json value);

nlohmann::ordered_json LiveToJson(const LiveFigures& live);
nlohmann::ordered_json RunToJson(const RunFigures& run, RunDetail detail);

// A resolved configuration, which must be JSON; an empty text is null.
nlohmann::ordered_json ConfigToJson(const std::string& text);

}  // namespace fairlead
