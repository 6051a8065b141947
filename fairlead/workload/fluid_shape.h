// A network as the fluid bounds see it: runs of steps that can be placed freely.
//
// A run is a stretch of segments without branches; since only sums over a run matter, segments of
// equal costs become one step. A program over a chain of a hundred layers, many of them alike,
// shrinks to a few dozen variables, without changing its solution.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/workload/fluid_bound.h"

namespace fairlead {

// Nanoseconds that may be fractions, and whose sums do not overflow.
using FluidTime = std::chrono::duration<double, std::nano>;

inline double InSeconds(FluidTime time) { return std::chrono::duration<double>(time).count(); }

// One way to run a segment: a row of the cost table.
struct PlacementOption {
  std::size_t kind = 0;
  Duration latency{};  // at least, however little else runs
  double time = 0;     // seconds of a whole accelerator, for one job of a full batch
  double bytes = 0;    // for one job of a full batch
  friend auto operator<=>(const PlacementOption&, const PlacementOption&) = default;
};

// The ways to run each segment. Ways that are worse than another one in every respect are left
// out: whoever uses them could do with less.
class FluidOptions {
 public:
  explicit FluidOptions(const FluidSystem& system);

  std::span<const PlacementOption> Of(NetworkId network, SegmentId segment) const {
    return options_[costs_.SegmentNumber(network, segment)];
  }
  // Bytes per second that the memory moves at most; 0: no limit. A little more than its bandwidth,
  // since the rates of running segments are rounded up.
  double bandwidth() const { return bandwidth_; }

 private:
  const CostTable& costs_;
  std::vector<std::vector<PlacementOption>> options_;  // by segment number
  double bandwidth_ = 0;
};

// A segment of a network, and how long at least it is to it from the request's arrival, and from it
// to the request's end.
struct TimedSegment {
  std::vector<PlacementOption> options;  // only kinds that are there
  Duration fastest{};
  FluidTime head{};
  FluidTime tail{};
};

struct FluidStep {
  std::vector<PlacementOption> options;  // by kind; only kinds that are there
  int segments = 1;                      // that have these options
  Duration Fastest() const;
};

struct FluidRun {
  std::vector<FluidStep> steps;
  std::vector<std::size_t> after;  // runs that it waits for, all of them earlier in the list
  bool last = true;                // nothing waits for it
  FluidTime through{};             // the longest path that it lies on, all steps at their fastest
};

struct FluidShape {
  std::vector<FluidRun> runs;
  bool runnable = true;       // every segment has an accelerator that runs it
  FluidTime fastest{};        // the longest path, every segment where it is fastest
  FluidTime slowest{};        // and where it is slowest
  double least_time = 0;      // accelerator seconds of all segments, each where it takes least
  std::size_t variables = 0;  // of one placement
  std::vector<TimedSegment> segments;
};

// On the kinds for which `there` is true.
FluidShape ShapeOf(const FluidOptions& options, const NetworkGraph& graph, NetworkId network,
                   const std::vector<bool>& there);

}  // namespace fairlead
