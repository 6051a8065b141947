// fairlead networks [NAME | FILE.onnx]
#pragma once

#include "apps/options.h"

namespace fairlead {

// All built-in networks, or the layers of one, or of a file's. Returns the exit status.
int ListNetworks(const ListOptions& options);

}  // namespace fairlead
