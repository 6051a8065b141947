// What no schedule could have beaten on the requests that came in a simulated run.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "fairlead/report/outcome_log.h"
#include "fairlead/workload/fluid_bound.h"
#include "fairlead/world/world.h"

namespace fairlead {

// The requests of a world that lists them.
std::vector<TimedArrival> ArrivalsOf(const World& world);

// None where the program has no answer. The order of the arrivals does not matter.
std::optional<FluidBounds> BoundsOn(const World& world, std::vector<TimedArrival> arrivals);
// On those that arrived after the warm-up.
std::optional<FluidBounds> BoundsOn(const World& world, std::span<const LoggedJob> jobs,
                                    Instant measured_from);

// The bounds of a world's runs. Arrivals depend on the seed alone, so runs of several policies
// share them. Threads may ask at the same time.
class BoundsBySeed {
 public:
  std::optional<FluidBounds> Of(const World& world, std::uint64_t seed,
                                std::span<const LoggedJob> jobs, Instant measured_from);

 private:
  struct Entry {
    std::once_flag once;
    std::optional<FluidBounds> bounds;
  };

  std::mutex mutex_;
  std::map<std::uint64_t, Entry> entries_;
};

}  // namespace fairlead
