#include "fairlead/costs/network_costs.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/integer.h"

namespace fairlead {
namespace {

NetworkGraph GraphOf(const LayeredNetwork& network) {
  std::vector<SegmentSpec> specs;
  for (const NetworkLayer& layer : network.layers) specs.push_back({layer.name, layer.after});
  auto graph = NetworkGraph::Create(network.name, specs);
  CHECK_MSG(graph.has_value(), graph.error().message);
  return std::move(*graph);
}

}  // namespace

const LayerCost& LayerCosts::Of(const LayerShape& shape, int units) {
  const auto [found, added] = known_.try_emplace({shape, units});
  if (added) found->second = accelerator_.Cost(shape, units);
  return found->second;
}

Profile ProfileOf(std::span<const LayeredNetwork> networks,
                  std::span<const AcceleratorModel> accelerators, std::span<const int> batches) {
  static constexpr int kOne[] = {1};
  if (batches.empty()) batches = kOne;
  Profile profile;
  std::vector<LayerCosts> costs;
  std::int64_t word_bits = 0;
  for (const AcceleratorModel& accelerator : accelerators) {
    word_bits = std::max(word_bits, accelerator.WordBits());
    profile.kinds.push_back(accelerator.name);
    costs.emplace_back(accelerator);
  }
  for (const LayeredNetwork& network : networks) {
    const NetworkId id{profile.networks.size()};
    for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
      const LayerShape& shape = network.layers[layer].shape;
      for (std::size_t a = 0; a < accelerators.size(); ++a) {
        if (!accelerators[a].CanRun(shape)) continue;
        for (const int units : accelerators[a].UnitChoices()) {
          for (const int batch : batches)
            profile.rows.push_back({id,
                                    SegmentId{layer},
                                    KindId{a},
                                    {units, batch},
                                    costs[a].Of(shape.Batched(batch), units).Segment()});
        }
      }
    }
    profile.networks.push_back(GraphOf(network));
    std::vector<std::int64_t>& alive = profile.alive_bytes.emplace_back();
    for (const NetworkLayer& layer : network.layers)
      alive.push_back(CeilDiv(word_bits * layer.shape.Outputs(), 8));
  }
  return profile;
}

}  // namespace fairlead
