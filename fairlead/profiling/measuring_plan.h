// What is measured: the networks, and which of them and of their layers side by side, drawn from a
// seed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/base/time.h"
#include "fairlead/networks/operator_graph.h"
#include "fairlead/profiling/machine_profile.h"
#include "fairlead/profiling/side_by_side.h"

namespace fairlead {

// What visits of a profiler have in common: how long they are, and which passes of them count.

// How often something must be done to last for a burst.
int TimesToLast(Duration burst, double nanoseconds, int least, int most);

std::vector<double> UndisturbedOf(std::span<const TimedPass> passes);
// Undisturbed ones; all where there is no such.
std::vector<double> MostlyUndisturbed(std::span<const TimedPass> passes);

// Clocks rise and caches fill: runs the lanes again and again until visits do not differ any more.
void RunUntilStable(std::span<const Lane> lanes, const LiveClock& clock);

// Runs the lanes, the first layer by layer; adds to the times of each of its layers.
void AddLayerTimes(std::span<const Lane> lanes, const LiveClock& clock,
                   std::vector<std::vector<double>>& times);

// Networks that pass in turn on one partition, as requests do: each after the others, and after a
// pause in which the partition's thread sleeps.
//
// A network that repeats at once finds caches, clocks and branch predictors as it left them; a
// request finds them as somebody else did, or as sleep did.
struct TurnOptions {
  int cycles = 2;            // every lane passes once in each; at least two
  Duration longest_pause{};  // drawn evenly, from none to this
};

// All lanes have the same partition. Passes of the first cycle, and of every other from there on,
// are timed as wholes, the rest layer by layer. What a run throws is thrown again here.
std::vector<LaneTimes> RunInTurn(std::span<const Lane> lanes, const TurnOptions& options,
                                 RandomStream& random, const LiveClock& clock);

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
