// Weights by chance, of a size that keeps what flows through a network from vanishing and
// exploding.
//
// As in He et al., "Delving Deep into Rectifiers" (ICCV 2015), but for any activation, and for
// sums: mean and variance of every tensor are estimated on the way, for inputs with mean 0 and
// variance 1, and weights are drawn such that each layer's results have variance 1.
#pragma once

#include <cstdint>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Fills all weights that have dimensions but no values: those of convolutions, linear layers and
// scales, and constants. What an operator gets depends on the seed and its name only, and on what
// comes before it; what several share, on the first.
OperatorGraph DrawWeights(OperatorGraph graph, std::uint64_t seed);

}  // namespace fairlead
