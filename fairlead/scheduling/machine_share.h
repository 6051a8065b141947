// What a request takes of the machine: the unit in which entitlements are measured, and what a
// breach of a promise costs is weighed against.
#pragma once

#include "fairlead/base/id.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// Seconds of the whole machine that one request of a network takes, each segment where it is
// fastest: of all accelerators' time or of the memory's bandwidth, whichever is more. As believed.
// O(segments).
double MachineSeconds(const SystemView& view, NetworkId network);

}  // namespace fairlead
