// Small worlds for the tests of the fluid bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/platform.h"
#include "fairlead/workload/fluid_bound.h"

namespace fairlead {

inline constexpr std::int64_t kMegabyte = 1'000'000;

// A platform, networks and costs that belong together.
struct FluidWorld {
  Platform platform;
  std::vector<NetworkGraph> networks;
  std::vector<std::vector<std::vector<SegmentCost>>> costs;  // network, segment, kind
  std::vector<CostRow> rows;                                 // beside those

  CostTable table() const {
    CostTable costs_of(networks, platform);
    for (std::size_t n = 0; n < costs.size(); ++n) {
      for (std::size_t s = 0; s < costs[n].size(); ++s) {
        for (std::size_t k = 0; k < costs[n][s].size(); ++k) {
          if (costs[n][s][k].latency > Duration::zero())  // zero: it can't run there
            costs_of.Set(NetworkId{n}, SegmentId{s}, KindId{k}, {}, costs[n][s][k]);
        }
      }
    }
    for (const CostRow& row : rows)
      costs_of.Set(row.network, row.segment, row.kind, row.configuration, row.cost);
    costs_of.Seal(networks);
    return costs_of;
  }
};

inline SegmentCost Takes(Duration latency, std::int64_t bytes = 0) {
  return {.latency = latency, .dram_bytes = bytes};
}

// One accelerator, one network of one segment that takes 1 ms and moves 1 MB.
inline FluidWorld Tiny() {
  FluidWorld world;
  world.platform.AddKind("simba", 1);
  world.networks = {NetworkGraph::Chain("tiny", 1)};
  world.costs = {{{Takes(std::chrono::milliseconds(1), kMegabyte)}}};
  return world;
}

// One segment: 1 ms on the one fast accelerator, 4 ms on each of two slow ones.
inline FluidWorld FastAndSlow() {
  FluidWorld world;
  world.platform.AddKind("fast", 1);
  world.platform.AddKind("slow", 2);
  world.networks = {NetworkGraph::Chain("tiny", 1)};
  world.costs = {{{Takes(std::chrono::milliseconds(1)), Takes(std::chrono::milliseconds(4))}}};
  return world;
}

inline Result<FluidBounds> BoundsOf(const FluidWorld& world,
                                    const std::vector<ArrivalCount>& arrivals,
                                    Duration useful_time) {
  const CostTable costs = world.table();
  return FindFluidBounds({world.platform, world.networks, costs, world.platform.bandwidth},
                         arrivals, useful_time);
}

}  // namespace fairlead
