// What was measured of a machine whose partitions run side by side: layers alone, layers beside
// layers, networks beside networks. The tables of data/h200, which `fairlead profile` writes too.
//
// Partitions are told by position: the columns of latencies (us_...) of each table stand in the
// order of the partitions, whatever they are called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

struct TableText {
  std::string file;  // in messages
  std::string text;
};

struct MeasuredLayer {
  std::int64_t id = 0;
  bool convolution = true;
  double macs = 0;
  double in_bytes = 0;
  double weight_bytes = 0;
  double out_bytes = 0;
  std::vector<double> us;  // alone, by partition
};

// A layer on a partition while others repeat beside it.
struct CoRun {
  std::size_t layer = 0;
  std::size_t partition = 0;
  std::vector<std::optional<std::size_t>> beside;  // by partition: a layer, or none
  double us = 0;
};

struct MeasuredNetwork {
  std::string name;  // as in the zoo: with hyphens
  std::vector<std::size_t> layers;
  std::vector<double> us;  // the whole alone, by partition
};

// Networks that repeat side by side.
struct NetworkMixture {
  std::vector<std::optional<std::size_t>> networks;  // by partition
  std::vector<double> us;                            // meanwhile; 0 where idle
};

struct MachineData {
  std::size_t partitions = 0;
  std::vector<MeasuredLayer> layers;
  std::vector<MeasuredNetwork> networks;
};

// Empty texts for models and networks: there are none.
Result<MachineData> ReadMachineData(const TableText& layers, const TableText& models,
                                    const TableText& networks);
Result<std::vector<CoRun>> ReadCoRuns(const MachineData& machine, const TableText& table);
Result<std::vector<NetworkMixture>> ReadMixtures(const MachineData& machine,
                                                 const TableText& table);

}  // namespace fairlead
