// fairlead networks [NAME]
#pragma once

#include "apps/options.h"

namespace fairlead {

// All built-in networks, or the layers of one. Returns the exit status.
int ListNetworks(const ListOptions& options);

}  // namespace fairlead
