// What no schedule can beat: linear programs over accelerator time and bandwidth.
//
// Work is a fluid: each segment of a network's requests may be divided in any shares among the rows
// of the cost table (kinds of accelerators, units of one, batches), and only sums are limited:
//
//   time       on each kind, what is placed there fits the accelerators, while they are there; a
//              job has its part of the units and of the batch;
//   bandwidth  the bytes of everything fit the shared memory, where segments compete for it;
//   deadlines  on every path through a network, the mean placed latencies add up to no more than
//              the deadline (for a chain: the sum over all its segments). A segment takes no less
//              than its bytes take alone on the memory.
//
// Bounds on arrivals whose instants are known also limit what is served when: window_cuts.h.
//
// Whatever a schedule serves in time satisfies all of them, so the results are upper bounds.
//
// Cost: a few milliseconds for four networks of a hundred segments; tenths of a second with tight
// deadlines and many kinds. Requests of one network with many different deadlines are put into a
// few buckets, each with the largest deadline in it, which keeps the bounds bounds. The number of
// agreements hardly matters; instants cost O(n log n) a look, and the looks are limited.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/platform.h"

namespace fairlead {

// Which accelerators are there, when.

// An accelerator goes away or comes back.
struct PresenceChange {
  Instant at{};
  AcceleratorId accelerator;
  bool there = true;
};

// From an instant on, until the next such stretch begins.
struct PresenceStretch {
  Instant from{};
  std::vector<int> count;  // of accelerators that are there, by kind
};

class Presence {
 public:
  // What is there between two instants. All accelerators are there before the first change; changes
  // are in order of time.
  Presence(const Platform& platform, std::span<const PresenceChange> changes, Instant from,
           Instant to);

  // The first one begins at `from`.
  std::span<const PresenceStretch> stretches() const { return stretches_; }
  // Accelerators of each kind times seconds, over all the time.
  const std::vector<double>& seconds_of_kind() const { return seconds_of_kind_; }

  // Whether an accelerator of the kind is there at any time from `arrival` to `deadline`.
  bool IsThere(std::size_t kind, Instant arrival, Instant deadline) const;

 private:
  struct Spell {
    Instant from{};
    Instant to{};
  };

  std::vector<PresenceStretch> stretches_;
  std::vector<std::vector<Spell>> spells_of_kind_;  // in which at least one is there
  std::vector<double> seconds_of_kind_;
};

// Where the work is done. References only: they must outlive the call.
struct FluidSystem {
  const Platform& platform;
  std::span<const NetworkGraph> networks;
  const CostTable& costs;      // true costs, sealed
  std::int64_t bandwidth = 0;  // that segments compete for, bytes per second; 0: they do not
};

struct RequestRate {
  NetworkId network;
  Duration deadline{};
  double per_second = 0;  // >= 0
};

struct LargestLoad {
  double multiple = 0;  // of all the given rates
  // Positions of rates that are not in the program, since their deadline can't be met even alone.
  std::vector<std::size_t> excluded;
};

// The largest multiple of a mix of requests that the system carries. Fails when nothing limits it:
// no request takes time or bandwidth, or none can meet its deadline.
Result<LargestLoad> FindLargestLoad(const FluidSystem& system, std::span<const RequestRate> mix);

struct ArrivalCount {
  AgreementId agreement;  // always with the same network
  NetworkId network;
  Duration deadline{};
  std::int64_t count = 0;  // >= 0
};

struct FluidBounds {
  double hit_rate = 1;         // the best conceivable share of hits among all requests
  double worst_agreement = 1;  // the best conceivable share of hits of the worst agreement
};

// Bounds on what can be made of these arrivals within `useful_time`, from the first arrival to the
// last deadline. The same agreement and deadline may stand several times. 1 without arrivals.
Result<FluidBounds> FindFluidBounds(const FluidSystem& system,
                                    std::span<const ArrivalCount> arrivals, Duration useful_time);

struct TimedArrival {
  AgreementId agreement;  // always with the same network
  NetworkId network;
  Instant arrival{};
  Instant deadline{};
};

// The same when it is known when requests came, and when accelerators went away and came back (in
// order of time): never larger, and much smaller where deadlines are short. 1 without arrivals.
Result<FluidBounds> FindTimedBounds(const FluidSystem& system,
                                    std::span<const TimedArrival> arrivals,
                                    std::span<const PresenceChange> changes);

}  // namespace fairlead
