// fairlead accelerators
#pragma once

#include "apps/options.h"

namespace fairlead {

// All kinds and ready platforms, or the description of one kind. Returns the exit status.
int ListAccelerators(const ListOptions& options);

}  // namespace fairlead
