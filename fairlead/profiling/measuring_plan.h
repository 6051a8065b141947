// Which layers and networks are measured side by side: drawn from a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

// Each case differs from all others, so there may be fewer than asked for; the first of every
// twenty then stands twice. At least two partitions are busy in a case, of more than two some may
// be idle.
std::vector<LayerCoRun> DrawCoRuns(std::size_t layers, std::size_t partitions, std::size_t count,
                                   std::uint64_t seed);
std::vector<NetworkMix> DrawMixes(std::size_t networks, std::size_t partitions, std::size_t count,
                                  std::uint64_t seed);

}  // namespace fairlead
