// Holds what was simulated to what ran: the same requests simulated beside the live run, segment by
// segment and tenant by tenant, and simulated again with the costs that the live run showed.
#pragma once

#include <span>

#include "fairlead/report/figures.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/running/run.h"
#include "fairlead/running/segment_log.h"

namespace fairlead {

// The live run, in the order of the world's lists.
struct LiveRunSeen {
  const World& world;
  const RunSpec& spec;
  const SegmentLog& segments;
  std::span<const LoggedJob> jobs;
  Instant measured_from{};
};

// The world's true costs with each segment's mean time in the live run instead of its latency,
// hand-overs and co-runners included. What ran fewer than three times is scaled as its network is.
CostTable MeasuredCosts(const World& world, std::span<const LoggedSegment> segments);

Result<LiveComparison> CompareWithSimulated(const LiveRunSeen& live);

}  // namespace fairlead
