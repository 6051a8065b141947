// What is measured: the networks, and which of them and of their layers side by side, drawn from a
// seed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fairlead/networks/operator_graph.h"
#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

// Each case differs from all others, so there may be fewer than asked for; the first of every
// twenty then stands twice. At least two partitions are busy in a case, of more than two some may
// be idle.
struct CoRunChoice {
  std::size_t layers = 0;     // any of which may be beside
  std::size_t first = 0;      // of those that are measured
  std::size_t last = layers;  // behind these
};
std::vector<LayerCoRun> DrawCoRuns(const CoRunChoice& choice, std::size_t partitions,
                                   std::size_t count, std::uint64_t seed);
// Of the layers of networks, which are the measured ones of the choice; where others were drawn
// behind them so many of these, to learn from, and then a tenth as many of networks.
std::vector<LayerCoRun> PlanCoRuns(const CoRunChoice& choice, std::size_t partitions,
                                   std::size_t count, std::uint64_t seed);
std::vector<NetworkMix> DrawMixes(std::size_t networks, std::size_t partitions, std::size_t count,
                                  std::uint64_t seed);

// Fills in what is known of the networks before anything is timed: names, what is alive after each
// layer, distinct layers. The profile has its batches.
void DescribeNetworks(std::span<const OperatorGraph* const> networks, MachineProfile& profile);
// Adds the layers that were drawn, but for shapes that the networks have. `network` is the number
// of their graph behind the networks.
void DescribeDrawn(const OperatorGraph& drawn, std::size_t network, MachineProfile& profile);
// The layer that reads memory without pause, if there is one.
std::optional<std::size_t> PressOf(const OperatorGraph& drawn);

}  // namespace fairlead
