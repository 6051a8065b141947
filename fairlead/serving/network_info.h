// What clients are told of a network that executors compute.
#pragma once

#include <string>

#include "fairlead/networks/operator_graph.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

// Ready where the graph has operators; the id is another's to give.
NetworkInfo InfoOf(std::string name, const OperatorGraph& graph);

}  // namespace fairlead
