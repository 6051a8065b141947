#include "fairlead/running/run_bounds.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace fairlead {

std::vector<TimedArrival> ArrivalsOf(const World& world) {
  std::vector<TimedArrival> arrivals;
  for (const Request& request : world.requests) {
    arrivals.push_back({request.agreement,
                        world.agreements[request.agreement.index()].agreement.network,
                        request.arrival, request.arrival + request.deadline});
  }
  return arrivals;
}

std::optional<FluidBounds> BoundsOn(const World& world, std::vector<TimedArrival> arrivals) {
  std::ranges::sort(arrivals, {}, [](const TimedArrival& one) {
    return std::tuple(one.arrival, one.deadline, one.agreement, one.network);
  });
  std::vector<PresenceChange> changes;
  for (const TimedInput& change : world.changes) {
    if (const auto* loss = std::get_if<AcceleratorLoss>(&change.input)) {
      changes.push_back({change.at, loss->accelerator, false});
    } else if (const auto* back = std::get_if<AcceleratorReturn>(&change.input)) {
      changes.push_back({change.at, back->accelerator, true});
    }
  }
  const auto bounds = FindTimedBounds(
      {world.platform, world.networks, *world.truth, world.platform.bandwidth}, arrivals, changes);
  if (!bounds.has_value()) return std::nullopt;
  return *bounds;
}

std::optional<FluidBounds> BoundsOn(const World& world, std::span<const LoggedJob> jobs,
                                    Instant measured_from) {
  std::vector<TimedArrival> arrivals;
  for (const LoggedJob& job : jobs) {
    if (job.arrival >= measured_from)
      arrivals.push_back({job.agreement, job.network, job.arrival, job.deadline});
  }
  return BoundsOn(world, std::move(arrivals));
}

std::optional<FluidBounds> BoundsBySeed::Of(const World& world, std::uint64_t seed,
                                            std::span<const LoggedJob> jobs,
                                            Instant measured_from) {
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    entry = &entries_[seed];
  }
  std::call_once(entry->once, [&] { entry->bounds = BoundsOn(world, jobs, measured_from); });
  return entry->bounds;
}

}  // namespace fairlead
