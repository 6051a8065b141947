// What a service tells of its networks, as messages: the same as over HTTP.
#pragma once

#include "fairlead/serving/inference.h"
#include "proto/inference.pb.h"

namespace fairlead {

void WriteServer(inference::ServerMetadataResponse& message);
void WriteNetwork(const NetworkInfo& network, inference::ModelMetadataResponse& message);
void WriteConfig(const NetworkInfo& network, inference::ModelConfig& message);
void WriteStatistics(const NetworkInfo& network, const NetworkStatistics& statistics,
                     inference::ModelStatistics& message);
void WriteIndex(const NetworkInfo& network,
                inference::RepositoryIndexResponse::ModelIndex& message);

}  // namespace fairlead
