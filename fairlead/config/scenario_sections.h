// The larger sections of a scenario, each read by a file of its own.
#pragma once

#include "fairlead/base/result.h"
#include "fairlead/config/scenario.h"
#include "fairlead/config/yaml_reader.h"

namespace fairlead {

Status ReadPlatform(const ConfigNode& node, PlatformConfig& platform);
Status ReadHandOvers(const ConfigNode& node, HandOversConfig& hand_overs);
Result<ArrivalOptions> ReadArrivals(const ConfigNode& node);
Result<TenantsConfig> ReadTenants(const ConfigNode& node);
Result<std::vector<PromiseConfig>> ReadPromises(const ConfigNode& node);
Result<Contract> ReadContract(const ConfigNode& node);
Result<GuardOptions> ReadGuard(const ConfigNode& node);
Result<ServeConfig> ReadServe(const ConfigNode& node);
Result<std::vector<RequireConfig>> ReadRequire(const ConfigNode& node);
// For how long a target is promised.
Result<PromisePeriods::Promise> ReadPromisePeriod(const ConfigNode& node);
// Requests per second: 12/s.
Result<double> ReadRequestRate(const ConfigNode& node);

}  // namespace fairlead
