// One segment (or a batch of equal segments of several jobs) on one accelerator.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"

namespace fairlead {

// Slots are reused; the generation tells a late report about an earlier tenant of the slot apart.
struct AssignmentId {
  std::uint32_t slot = UINT32_MAX;
  std::uint32_t generation = 0;
  friend auto operator<=>(const AssignmentId&, const AssignmentId&) = default;
};

// What the start of a segment finds, and what that costs beside `hand_over`, which is part of its
// latency.
struct HandOver {
  bool takes_over = false;       // another job, or none, began there last
  std::uint32_t moves = 0;       // predecessors that ran on other accelerators
  std::int64_t moved_bytes = 0;  // of them
  Duration take_over{};
  Duration move{};

  Duration cost() const { return take_over + move; }
};

struct Assignment {
  AssignmentId id;
  AcceleratorId accelerator;
  NetworkId network;
  SegmentId segment;
  int units = 1;
  int version = 0;
  std::int64_t bandwidth_cap = 0;      // bytes per second; 0: none
  std::vector<JobId> jobs;             // one, or a batch
  std::vector<std::uint64_t> serials;  // of the jobs, once it runs: their slots may change hands
  Instant start{};                     // once it runs
  Duration believed_latency{};         // from its start to its end, with all changes of units
  Duration configured_latency{};       // of all its work with the units that it has now
  HandOver hand_over;                  // as believed; part of both
  enum class State : std::uint8_t { kFree, kEnqueued, kRunning } state = State::kFree;

  // How long it is believed to run from now on; zero when it is overdue.
  Duration BelievedLeft(Instant now) const {
    return std::max(start + believed_latency - now, Duration::zero());
  }
  int batch() const { return static_cast<int>(jobs.size()); }
  Configuration configuration() const { return {units, batch(), version}; }
};

}  // namespace fairlead
