// The larger sections of a scenario, each read by a file of its own.
#pragma once

#include "fairlead/base/result.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/scenario/yaml_reader.h"

namespace fairlead {

Status ReadPlatform(const ConfigNode& node, PlatformConfig& platform);
Status ReadHandOvers(const ConfigNode& node, HandOversConfig& hand_overs);
Result<ArrivalOptions> ReadArrivals(const ConfigNode& node);
Result<TenantsConfig> ReadTenants(const ConfigNode& node);
Result<std::vector<PromiseConfig>> ReadPromises(const ConfigNode& node);
// `place` is where the policy is named that takes over.
Result<GuardOptions> ReadGuard(const ConfigNode& node, Place& place);
Result<ServeConfig> ReadServe(const ConfigNode& node);
Result<std::vector<RequireConfig>> ReadRequire(const ConfigNode& node);

}  // namespace fairlead
