// What is measured: the networks, and which of them and of their layers side by side, drawn from a
// seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/networks/operator_graph.h"
#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

// Each case differs from all others, so there may be fewer than asked for; the first of every
// twenty then stands twice. At least two partitions are busy in a case, of more than two some may
// be idle.
std::vector<LayerCoRun> DrawCoRuns(std::size_t layers, std::size_t partitions, std::size_t count,
                                   std::uint64_t seed);
std::vector<NetworkMix> DrawMixes(std::size_t networks, std::size_t partitions, std::size_t count,
                                  std::uint64_t seed);

// Fills in what is known of the networks before anything is timed: names, what is alive after each
// layer, distinct layers. The profile has its batches.
void DescribeNetworks(std::span<const OperatorGraph* const> networks, MachineProfile& profile);

}  // namespace fairlead
