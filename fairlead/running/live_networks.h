// The networks of a world, loaded on the cores that its scenario names: what `simulate --live run`
// runs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/execution/loaded_networks.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/world.h"

namespace fairlead {

// Only what somebody has an agreement on. A network is the file among the scenario's `onnx` of that
// name, or the built-in one, with weights drawn from a fixed seed. It has the layers that the
// world's costs are for, whether modelled or measured; the world has segments one after the other.
enum class Measuring : std::uint8_t { kNothing, kSegments };
Result<std::unique_ptr<LoadedNetworks>> LoadLiveNetworks(const World& world, const FileReader& read,
                                                         Measuring measuring = Measuring::kNothing);

// What is believed of the networks of a world, as they were measured when they were loaded: where
// that differs by more than a quarter from what the scenario says. (A profile is measured with more
// care, and a model of a machine may be far from it.)
CostTable MeasuredBeliefs(const CostTable& believed, const World& world,
                          const LoadedNetworks& networks);

// Another processor for an accelerator of that world, in the place of one that was lost.
Result<std::unique_ptr<Processor>> MakeProcessor(const World& world, AcceleratorId accelerator);

// The cores on which the world's accelerators run, and those that this process may use beside them:
// the engine and whoever talks to it run there. None is left where partitions take all.
struct LiveCores {
  std::vector<int> partitions;
  std::vector<int> left;

  // Every thread has a core to itself: they may look out for work before they sleep.
  bool AreEnough() const;
};
LiveCores CoresOf(const World& world, std::span<const int> usable);

}  // namespace fairlead
