// Layers by shape: whatever is accepted can be priced.

#include "fairlead/base/check.h"
#include "fairlead/networks/layers_file.h"
#include "fairlead/scenario/accelerator_catalogue.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto networks = ParseLayers("fuzz.csv", TextOf(data, size));
  if (!networks.has_value()) {
    CHECK(networks.error().message.starts_with("fuzz.csv:"));
    return 0;
  }
  int priced = 0;
  for (const LayeredNetwork& network : *networks) {
    for (const NetworkLayer& layer : network.layers) {
      if (++priced > 4) return 0;  // more of them would only take longer
      for (const AcceleratorModel& model : BuiltInAccelerators()) {
        const LayerCost cost = model.Cost(layer.shape, model.UnitChoices().back());
        CHECK(cost.latency > Duration::zero() && cost.DramBytes() > 0);
      }
    }
  }
  return 0;
}

}  // namespace fairlead
