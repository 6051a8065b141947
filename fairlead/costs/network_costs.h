// What networks cost on accelerators, layer by layer, by the cost models.
#pragma once

#include <map>
#include <span>

#include "fairlead/costs/accelerator_model.h"
#include "fairlead/costs/profile.h"
#include "fairlead/networks/layered_network.h"

namespace fairlead {

// Costs of layers on one accelerator, each shape computed once. Not for several threads.
class LayerCosts {
 public:
  // The accelerator must outlive this.
  explicit LayerCosts(const AcceleratorModel& accelerator) : accelerator_(accelerator) {}

  // Precondition: as for AcceleratorModel::Cost.
  const LayerCost& Of(const LayerShape& shape, int units);

 private:
  struct Key {
    LayerShape shape;
    int units;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  const AcceleratorModel& accelerator_;
  std::map<Key, LayerCost> known_;
};

// One row for each layer, accelerator that can run it, number of units and batch. What is alive
// after a layer is its output, in the widest words of all accelerators.
Profile ProfileOf(std::span<const LayeredNetwork> networks,
                  std::span<const AcceleratorModel> accelerators,
                  std::span<const int> batches = {});

}  // namespace fairlead
