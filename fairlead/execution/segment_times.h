// How long the segments of a network take here, alone: what a server believes of them at first.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

// By segment, the median of some passes through the whole network, after one that warms up: five of
// them, or as many as begin within a third of a second. By a thread that has entered the processor,
// with a run that nobody else uses; what the run holds is lost. Throws what the processor throws.
std::vector<Duration> MeasureSegments(NetworkRun& run, std::span<const std::size_t> bounds);

}  // namespace fairlead
