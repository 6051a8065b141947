// A network that comes while a world runs: its segments, one after the other, and what is believed
// of them. Tensors, layers and weights are the executor's; the engine knows no more than this.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"

namespace fairlead {

// Of a segment on a kind, alone.
struct NewCost {
  KindId kind;
  int units = 1;
  int batch = 1;
  Duration latency{};
  std::int64_t dram_bytes = 0;
  std::int64_t energy_pj = 0;
};

struct NewSegment {
  std::vector<NewCost> costs{};  // each configuration of each kind once; one at least
  std::int64_t alive_bytes = 0;  // what those after it need of it, for one job
};

struct NewNetwork {
  static constexpr std::int64_t kMostSegments = 100'000;
  static constexpr std::int64_t kMostCosts = 1'000;  // of a segment
  static constexpr int kLargestBatch = 1 << 16;
  // Of a segment: sums over a network must not overflow.
  static constexpr Duration kLongest = std::chrono::seconds{1000};
  static constexpr std::int64_t kMostBytes = 1'000'000'000'000;

  std::string name;
  std::vector<NewSegment> segments{};
};

// A table that has the network too, behind all others, which are those that it has.
CostTable WithNetwork(const CostTable& table, std::span<const NetworkGraph> all,
                      const NewNetwork& network);

}  // namespace fairlead
