// What the protocol says about the server and its networks, as JSON.
#pragma once

#include <span>
#include <string>

#include "fairlead/serving/inference.h"

namespace fairlead {

std::string ServerJson();
std::string NetworkJson(const NetworkInfo& network);
std::string NetworkConfigJson(const NetworkInfo& network);
std::string IndexJson(std::span<const NetworkInfo> networks, bool ready_only);
std::string StatisticsJson(const NetworkInfo& network, const NetworkStatistics& statistics);

}  // namespace fairlead
