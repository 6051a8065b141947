// The networks of a world, loaded on the cores that its scenario names: what `simulate --live run`
// runs.
#pragma once

#include <memory>

#include "fairlead/base/result.h"
#include "fairlead/config/files.h"
#include "fairlead/config/world.h"
#include "fairlead/execution/loaded_networks.h"

namespace fairlead {

// Only what somebody has an agreement on. A network is the file among the scenario's `onnx` of that
// name, or the built-in one, with weights drawn from a fixed seed. It has the layers that the
// world's costs are for, whether modelled or measured; the world has segments one after the other.
Result<std::unique_ptr<LoadedNetworks>> LoadLiveNetworks(const World& world,
                                                         const FileReader& read);

}  // namespace fairlead
