// What clients are told of a network that executors compute.
#pragma once

#include <string>

#include "fairlead/execution/loaded_networks.h"
#include "fairlead/networks/operator_graph.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

// Ready where the graph has operators; the id is another's to give.
NetworkInfo InfoOf(std::string name, const OperatorGraph& graph);

// The longest of its segments, alone and as measured, over all accelerators; one sample at a time.
Duration LongestSegment(const LoadedNetworks& networks, NetworkId network);

}  // namespace fairlead
