// Layers given by shape, as CSV `network,layer,kind,n,k,c,p,q,r,s,stride,groups`: kind is conv,
// depthwise or linear; n batch, k outputs, c inputs, p x q output size, r x s kernel.
#pragma once

#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

// The networks in order of first appearance, their layers in the order of the file; nothing waits
// for anything, since shapes do not say what depends on what. `n`, `r`, `s`, `stride` and `groups`
// are 1 where the column is missing. Linear.
Result<std::vector<LayeredNetwork>> ParseLayers(std::string_view file, std::string_view text);

// The most multiplications of one layer that the cost models take.
inline constexpr double kMostMacs = 1e15;

}  // namespace fairlead
