// The worlds that `fairlead quote` and `fairlead provision` compare: the same promises and the same
// traffic, with somebody added, asking less, promised less, or on another platform.
//
// A scenario says much in relative terms: rates as a load of what its platform carries, deadlines
// as multiples of a latency alone, targets dealt by the seed. All of that is settled once, for the
// scenario as it is written, and stays as it is from there on: whoever is added adds to the load
// and dilutes nobody, and a larger platform does not get more to do.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/world.h"

namespace fairlead {

// With targets dealt as this seed deals them. Requests that are listed become the traffic of this
// seed, and are resampled for others.
Result<World> SettledWorld(const Scenario& scenario, std::uint64_t seed, const FileReader& read);

// That somebody is promised something.
Status CheckPromises(const World& world);

struct ExtendedWorld {
  World world;
  std::vector<std::size_t> before;  // agreements that were there already, in their order
  std::vector<std::size_t> added;
};
// Groups without a rate ask for their share, at what a share comes to in the scenario as it is.
Result<ExtendedWorld> WithAgreements(const World& settled, std::vector<TenantsConfig> groups,
                                     std::uint64_t seed, const FileReader& read);

// Rates, and what contracts cover, times a factor > 0; of recorded requests, at most 1, a part
// drawn by chance.
World WithRates(const World& world, std::span<const std::size_t> agreements, double factor);
// Targets lowered by so much, but not below 0.
World WithLowerTargets(const World& world, std::span<const std::size_t> agreements, double less);

// The same agreements with so many accelerators of each kind, in the scenario's order; none of a
// kind takes it away. An error where a network has nowhere to run.
Result<World> OnPlatform(const World& settled, std::span<const int> counts, const FileReader& read);

// Requests per second.
double RateOf(const PlannedAgreement& agreement);

}  // namespace fairlead
