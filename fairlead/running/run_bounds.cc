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

// What is rejected by its contract is no hit, whatever the schedule; and agreements are judged by
// what is covered, which a schedule may serve as if nothing else had come.
std::optional<FluidBounds> BoundsOn(const World& world, std::span<const LoggedJob> jobs,
                                    Instant measured_from) {
  std::vector<TimedArrival> admitted;
  std::vector<TimedArrival> covered;
  std::size_t all = 0;
  for (const LoggedJob& job : jobs) {
    if (job.arrival < measured_from) continue;
    ++all;
    const TimedArrival arrival{job.agreement, job.network, job.arrival, job.deadline};
    if (job.reason != Reason::kUncovered) admitted.push_back(arrival);
    if (job.covered) covered.push_back(arrival);
  }
  const bool all_admitted = admitted.size() == all;
  const bool all_covered = covered.size() == admitted.size();
  const double admitted_share =
      all_admitted ? 1 : static_cast<double>(admitted.size()) / static_cast<double>(all);
  std::optional<FluidBounds> bounds = BoundsOn(world, std::move(admitted));
  if (!bounds.has_value()) return bounds;
  bounds->hit_rate *= admitted_share;
  if (all_covered) return bounds;
  const std::optional<FluidBounds> of_covered = BoundsOn(world, std::move(covered));
  if (!of_covered.has_value()) return of_covered;
  bounds->worst_agreement = of_covered->worst_agreement;
  return bounds;
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
