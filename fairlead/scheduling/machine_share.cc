#include "fairlead/scheduling/machine_share.h"

#include <algorithm>
#include <cstddef>

namespace fairlead {

double MachineSeconds(const SystemView& view, NetworkId network) {
  const CostTable& costs = view.costs();
  const auto online =
      std::ranges::count_if(view.accelerators(), [](const auto& state) { return state.online; });
  const double time = Seconds(costs.FastestTotal(network)) /
                      static_cast<double>(std::max<std::ptrdiff_t>(online, 1));
  if (view.platform().bandwidth == 0) return time;
  double bytes = 0;
  for (std::size_t s = 0; s < view.networks()[network.index()].size(); ++s) {
    const SegmentCost* cost =
        costs.Alone(network, SegmentId{s}, costs.FastestKind(network, SegmentId{s}));
    if (cost != nullptr) bytes += static_cast<double>(cost->dram_bytes);
  }
  return std::max(time, bytes / static_cast<double>(view.platform().bandwidth));
}

}  // namespace fairlead
