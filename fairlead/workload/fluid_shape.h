// A network as the fluid bounds see it: runs of steps that can be placed freely.
//
// A run is a stretch of segments without branches; since only sums over a run matter, segments of
// equal costs become one step. A program over a chain of a hundred layers, many of them alike,
// shrinks to a few dozen variables, without changing its solution.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/workload/fluid_bound.h"

namespace fairlead {

// Nanoseconds that may be fractions, and whose sums do not overflow.
using FluidTime = std::chrono::duration<double, std::nano>;

inline double InSeconds(FluidTime time) { return std::chrono::duration<double>(time).count(); }

// One kind of accelerator that a step may run on.
struct PlacementOption {
  std::size_t kind = 0;
  Duration latency{};
  std::int64_t dram_bytes = 0;
  friend auto operator<=>(const PlacementOption&, const PlacementOption&) = default;
};

struct FluidStep {
  std::vector<PlacementOption> options;  // by kind; only kinds of which there are accelerators
  int segments = 1;                      // that have these options
};

struct FluidRun {
  std::vector<FluidStep> steps;
  std::vector<std::size_t> after;  // runs that it waits for, all of them earlier in the list
  bool last = true;                // nothing waits for it
};

struct FluidShape {
  std::vector<FluidRun> runs;
  bool runnable = true;       // every segment has an accelerator that runs it
  FluidTime fastest{};        // the longest path, every segment where it is fastest
  FluidTime slowest{};        // and where it is slowest
  FluidTime least_work{};     // the sum over all segments, each where it is fastest
  std::size_t variables = 0;  // of one placement
};

FluidShape ShapeOf(const FluidSystem& system, NetworkId network);

}  // namespace fairlead
