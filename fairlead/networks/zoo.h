// The built-in networks, with every layer that costs something and their real dependencies:
// torchvision 0.14's classifiers, without auxiliary heads, and YOLOv3.
#pragma once

#include <span>
#include <string_view>

#include "fairlead/networks/layered_network.h"

namespace fairlead {

// Ordered by name. Built once, on first use.
std::span<const LayeredNetwork> Zoo();

// Null where there is none of this name.
const LayeredNetwork* FindInZoo(std::string_view name);

}  // namespace fairlead
