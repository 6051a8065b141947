// What a simulated run did, as a schedule that another simulator can carry out: which segment ran
// where, in which order, and what had to be over before it could start.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "benchmarks/harness.h"
#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/request.h"
#include "fairlead/policies/fixed_plan.h"
#include "fairlead/world/world.h"

namespace fairlead {

struct ScheduledSegment {
  RequestNumber request = 0;
  SegmentId segment;
  AcceleratorId accelerator;
  Duration latency{};  // alone
  std::int64_t dram_bytes = 0;
  std::uint32_t waits_for = 0;   // how many arrivals and segments
  std::uint32_t first_next = 0;  // into RecordedSchedule::next
  std::uint32_t next_count = 0;
};

struct ScheduledArrival {
  Instant at{};
  std::vector<std::uint32_t> sources;  // segments that wait for it
};

struct RecordedSchedule {
  std::size_t accelerators = 0;
  std::int64_t bandwidth = 0;              // bytes per second that all of them share
  std::vector<ScheduledSegment> segments;  // by start
  std::vector<std::uint32_t> next;         // segments that wait for a segment, segment by segment
  std::vector<ScheduledArrival> arrivals;  // by time
  Instant end{};                           // of the last segment
  Duration running{};                      // of all segments, added up

  // The segments of each accelerator in their order.
  std::vector<std::vector<std::uint32_t>> ByAccelerator() const;
  // The schedule as the policy fixed-plan carries it out.
  FixedPlan AsPlan() const;
};

Result<RecordedSchedule> RecordSchedule(const World& world, std::string_view policy);

}  // namespace fairlead
