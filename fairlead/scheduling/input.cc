#include "fairlead/scheduling/input.h"

namespace fairlead {

CostTable WithNetwork(const CostTable& table, std::span<const NetworkGraph> all,
                      const NewNetwork& network) {
  const NetworkId id{all.size() - 1};
  CostTable extended = table;
  extended.AddNetwork(all.back());
  for (std::size_t s = 0; s < network.segments.size(); ++s) {
    for (const NewCost& cost : network.segments[s].costs)
      extended.Set(
          id, SegmentId{s}, cost.kind, {cost.units, cost.batch},
          {.latency = cost.latency, .dram_bytes = cost.dram_bytes, .energy_pj = cost.energy_pj});
    extended.SetAliveBytes(id, SegmentId{s}, network.segments[s].alive_bytes);
  }
  extended.Seal(all);
  return extended;
}

}  // namespace fairlead
