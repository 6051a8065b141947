#include "fairlead/profiling/machine_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fairlead/base/csv.h"

namespace fairlead {
namespace {

constexpr std::int64_t kWordBytes = 4;

std::string Microseconds(double nanoseconds) { return fmt::format("{:.3f}", nanoseconds / 1e3); }

// ",us_p0,us_p1" and the like.
std::string Columns(const MachineProfile& machine, std::string_view prefix) {
  std::string columns;
  for (const ProfiledPartition& partition : machine.partitions)
    columns += fmt::format(",{}{}", prefix, partition.name);
  return columns;
}

SegmentCost CostOf(const ProfiledLayer& layer) {
  const Duration latency{std::llround(layer.nanoseconds)};
  // Traffic that takes no time is none.
  return {.latency = latency,
          .dram_bytes = latency > Duration::zero() ? layer.dram_bytes : 0,
          .pressed_latency = Duration{std::llround(layer.nanoseconds * layer.pressed)}};
}

// "resnet50,17,p0,1".
std::string KeyOf(const MachineProfile& machine, const ProfiledNetwork& network,
                  std::size_t layer) {
  return fmt::format("{},{},{},{}", CsvField(machine.networks[network.network]), layer,
                     machine.partitions[network.partition].name, network.batch);
}

}  // namespace

Profile ProfileOfMachine(const MachineProfile& machine) {
  Profile profile;
  for (const ProfiledPartition& partition : machine.partitions)
    profile.kinds.push_back(partition.name);
  for (std::size_t n = 0; n < machine.networks.size(); ++n)
    profile.networks.push_back(
        NetworkGraph::Chain(machine.networks[n], machine.Alone(n, 0, 0).layers.size()));
  for (const ProfiledNetwork& network : machine.alone) {
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      profile.rows.push_back({.network = NetworkId{network.network},
                              .segment = SegmentId{i},
                              .kind = KindId{network.partition},
                              .configuration = {.batch = static_cast<int>(network.batch)},
                              .cost = CostOf(network.layers[i])});
    }
  }
  profile.alive_bytes = machine.alive_bytes;
  profile.hand_overs = machine.hand_overs;
  return profile;
}

std::string LayersTable(const MachineProfile& machine) {
  std::string text =
      "id,kind,n,cin,cout,kh,kw,stride,pad_h,pad_w,groups,h,w,macs,in_bytes,weight_bytes,"
      "out_bytes" +
      Columns(machine, "us_") + ",from_network\n";
  for (std::size_t id = 0; id < machine.layers.size(); ++id) {
    const OperatorLayer& shape = machine.layers[id].shape;
    text += shape.linear
                ? fmt::format("{},linear,{},{},{},,,,,,,,", id, shape.n, shape.cin, shape.cout)
                : fmt::format("{},conv,{},{},{},{},{},{},{},{},{},{},{}", id, shape.n, shape.cin,
                              shape.cout, shape.kh, shape.kw, shape.stride, shape.pad_h,
                              shape.pad_w, shape.groups, shape.h, shape.w);
    text += fmt::format(",{},{},{},{}", shape.Macs(), kWordBytes * shape.Inputs(),
                        kWordBytes * shape.Weights(), kWordBytes * shape.Outputs());
    for (double nanoseconds : machine.layers[id].nanoseconds)
      text += ',' + Microseconds(nanoseconds);
    text += machine.layers[id].drawn ? ",0\n" : ",1\n";
  }
  return text;
}

std::string ModelsTable(const MachineProfile& machine) {
  std::string text = "model,position,layer_id\n";
  for (std::size_t n = 0; n < machine.networks.size(); ++n) {
    for (std::size_t i = 0; i < machine.network_layers[n].size(); ++i)
      text +=
          fmt::format("{},{},{}\n", CsvField(machine.networks[n]), i, machine.network_layers[n][i]);
  }
  return text;
}

std::string NetworksTable(const MachineProfile& machine) {
  std::string text = "model" + Columns(machine, "us_") + "\n";
  for (std::size_t n = 0; n < machine.networks.size(); ++n) {
    if (machine.network_layers[n].empty()) continue;  // no layers that the tables know
    text += CsvField(machine.networks[n]);
    for (std::size_t p = 0; p < machine.partitions.size(); ++p)
      text += ',' + Microseconds(machine.Alone(n, 0, p).burst);
    text += '\n';
  }
  return text;
}

std::string CoRunsTable(const MachineProfile& machine, Measured measured) {
  std::string text = "layer_id,partition" + Columns(machine, "on_") + ",us\n";
  for (const LayerCoRun& corun : machine.coruns) {
    if (machine.layers[corun.layer].drawn != (measured == Measured::kDrawn)) continue;
    text += fmt::format("{},{}", corun.layer, corun.partition);
    for (int other : corun.others) text += fmt::format(",{}", other);
    text += ',' + Microseconds(corun.nanoseconds) + '\n';
  }
  return text;
}

std::string MixesTable(const MachineProfile& machine) {
  std::string text = Columns(machine, "").substr(1) + Columns(machine, "us_") + "\n";
  for (const NetworkMix& mix : machine.mixes) {
    std::string line;
    for (int network : mix.networks) {
      line += ',';
      if (network != kIdle) line += CsvField(machine.networks[static_cast<std::size_t>(network)]);
    }
    for (std::size_t p = 0; p < mix.networks.size(); ++p) {
      line += ',';
      if (mix.networks[p] != kIdle) line += Microseconds(mix.nanoseconds[p]);
    }
    text += line.substr(1) + '\n';
  }
  return text;
}

std::string OperatorsTable(const MachineProfile& machine) {
  std::string text = "network,layer,accelerator,batch,name,implementation,bytes,pressed\n";
  for (const ProfiledNetwork& network : machine.alone) {
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const ProfiledLayer& layer = network.layers[i];
      text += fmt::format("{},{},{},{},{:.4g}\n", KeyOf(machine, network, i), CsvField(layer.name),
                          CsvField(layer.implementation), layer.touched_bytes, layer.pressed);
    }
  }
  return text;
}

std::string CountersTable(const MachineProfile& machine) {
  std::string text = "network,layer,accelerator,batch";
  for (const std::string& event : machine.events) text += ',' + event;
  text += '\n';
  for (const ProfiledNetwork& network : machine.alone) {
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      text += KeyOf(machine, network, i);
      for (double count : network.layers[i].counts) text += fmt::format(",{:.0f}", count);
      text += '\n';
    }
  }
  return text;
}

}  // namespace fairlead
