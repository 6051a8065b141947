// What a partition refuses to load, before it allocates or measures anything: files may ask for
// anything.
#pragma once

#include <cstddef>

#include "fairlead/base/result.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Of this machine, in bytes.
std::size_t PhysicalMemory();

// Fails where the operands of one layer need more than half of the memory, or a pass more than
// 10^13 multiplications or the like (minutes on any machine).
Status CheckLoadLimits(const OperatorGraph& graph, std::size_t batch);

}  // namespace fairlead
