// The built-in networks as operators, to be run: the same layers as the zoo's, with weights drawn
// from a seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// None where the zoo has no network of this name. Weights are scaled so that activations neither
// vanish nor explode.
std::optional<OperatorGraph> ZooGraph(std::string_view name, std::uint64_t weights_seed);

}  // namespace fairlead
