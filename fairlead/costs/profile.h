// A profile: what each layer of each network costs on each kind of accelerator, as a table.
//
// CSV `network,layer,accelerator,latency_ns,dram_bytes,energy_pj[,after][,batch][,units]
// [,alive_bytes][,version][,pressed_ns]`, one row for each layer, kind and configuration. No row
// for a kind: the layer can't run there. `after` lists the layers that a layer waits for, separated
// by spaces, or is "-" for none; a network for which it is empty throughout, or missing, is a
// chain. Batch and units default to 1, energy to 0. `alive_bytes` is what those that wait for the
// layer need of it, for one sample; in a chain all that is alive at the boundary after it. It
// defaults to 0. Versions are ways to carry a layer out, from 0 on; `pressed_ns` is its latency
// while all other units read memory (0: nobody knows).
//
// What it costs to go on elsewhere stands in a file of its own (hand_over_costs.h).
//
// Profiles come from files, from measurements and from cost models; a world tables them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/costs/hand_over_costs.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/platform.h"

namespace fairlead {

struct Profile {
  std::vector<NetworkGraph> networks;
  std::vector<std::string> kinds;  // in order of first appearance
  std::vector<CostRow> rows;       // segments are layers; kinds are of `kinds`
  // By network and layer, of one sample; empty: nobody knows, and moving bytes costs nothing.
  std::vector<std::vector<std::int64_t>> alive_bytes{};
  HandOverCosts hand_overs{};  // by `kinds`; of no kinds: nobody measured them
};

// Refuses, with the place: negative or huge numbers, rows that stand twice, gaps between layers,
// cycles, contradicting `after` and `alive_bytes` fields, and traffic that takes no time. Linear.
Result<Profile> ParseProfile(std::string_view file, std::string_view text);
std::string FormatProfile(const Profile& profile);

// The rows of the kinds that the platform has, sealed. Every latency has `hand_over` added.
CostTable MakeCostTable(const Profile& profile, const Platform& platform);

// Every layer of every network can run somewhere on the platform.
Status CheckRunnable(const Profile& profile, const Platform& platform);

}  // namespace fairlead
