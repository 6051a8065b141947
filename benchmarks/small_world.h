// Random worlds that are small enough for an exact optimum: two or three accelerators of two kinds,
// a handful of jobs that are chains of up to three segments, more work than can be done in time.
//
// All times are whole ticks. A schedule in which nothing can begin earlier then begins everything
// at a tick, so an optimum over ticks is an optimum.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/world/world.h"

namespace fairlead {

inline constexpr Duration kTick = std::chrono::milliseconds{1};
inline constexpr int kCannotRun = 0;  // a latency
inline constexpr int kFewestJobs = 6;
inline constexpr int kMostJobs = 12;

// Ticks by kind.
using SmallSegment = std::vector<int>;
// Each segment waits for the one before.
using SmallNetwork = std::vector<SmallSegment>;

struct SmallJob {
  std::size_t tenant = 0;
  std::size_t network = 0;
  int arrival = 0;   // tick
  int deadline = 0;  // tick; absolute
};

struct SmallWorld {
  std::uint64_t seed = 0;  // also of policies that draw
  std::size_t tenants = 0;
  std::vector<int> accelerators;  // by kind
  std::vector<SmallNetwork> networks;
  std::vector<SmallJob> jobs;  // by arrival; each tenant has one at least

  const SmallNetwork& NetworkOf(const SmallJob& job) const { return networks[job.network]; }
  std::vector<int> JobsByTenant() const;
};

// What each seed's world is like; `jobs` of them, or a number that is drawn too.
SmallWorld DrawSmallWorld(std::uint64_t seed, std::optional<int> jobs = std::nullopt);

// The files that would make this world, one after the other: for a message.
std::string Describe(const SmallWorld& world);

// For the simulator, with these jobs alone; requests carry the index of their job.
Result<std::unique_ptr<const World>> BuildSmallWorld(const SmallWorld& world,
                                                     std::span<const std::size_t> jobs);

}  // namespace fairlead
