// The linear program of the fluid bounds.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/platform.h"
#include "fairlead/workload/fluid_bound.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {

// A network as the fluid bounds see it: runs of steps that can be placed freely.
//
// A run is a stretch of segments without branches; since only sums over a run matter, segments of
// equal costs become one step. A program over a chain of a hundred layers, many of them alike,
// shrinks to a few dozen variables, without changing its solution.

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

// The requests of each network by deadline: what a fluid bound has to serve.

// Requests of one network whose deadlines are treated alike.
struct DeadlineBucket {
  Duration deadline{};  // the largest
  Duration smallest{};
  bool limits = true;  // the slowest placement does not fit the deadline
  double weight = 0;   // requests, or requests per second
};

struct WeightedDeadline {
  Duration deadline{};
  double weight = 0;
};

// The requests of one network that can meet their deadlines on some kinds of accelerators.
struct FluidLoad {
  FluidShape shape;
  std::vector<WeightedDeadline> deadlines;
  std::vector<DeadlineBucket> buckets;  // the loosest first
  std::vector<std::size_t> classes;     // of each bucket

  // Makes the buckets: one for all deadlines that any placement fits, and up to `most` in all.
  void Divide(std::size_t most);
};

// One bucket of one load.
struct FluidClass {
  std::size_t network = 0;
  const FluidShape* shape = nullptr;
  DeadlineBucket bucket;
};

// The loads of all networks. Deadlines that can't be met are refused; so are networks that can't
// run.
class FluidLoads {
 public:
  explicit FluidLoads(const FluidSystem& system);

  const FluidOptions& options() const { return options_; }

  // A set of kinds that are there while a request lasts, by a number. There are only a few sets;
  // beyond these all of the first one count as there, which must contain every other.
  std::size_t SetOfKinds(const std::vector<bool>& there);

  // Whether these requests can meet their deadline, alone.
  bool Add(NetworkId network, std::size_t kinds, Duration deadline, double weight);
  // Once all are added.
  void Divide();

  // Those of a network lie together, the loosest first.
  std::span<const FluidClass> classes() const { return classes_; }
  // The first class of a network, and the one after its last.
  std::pair<std::size_t, std::size_t> ClassesOf(std::size_t network) const {
    return {first_class_[network], first_class_[network + 1]};
  }
  // Of a request that was added.
  std::size_t ClassOf(NetworkId network, std::size_t kinds, Duration deadline) const;
  std::size_t networks() const { return system_.networks.size(); }

 private:
  static constexpr std::size_t kMostSets = 6;

  const FluidSystem& system_;
  FluidOptions options_;
  std::vector<std::vector<bool>> sets_;
  std::vector<std::vector<std::optional<FluidLoad>>> loads_;  // by network and set of kinds
  std::vector<FluidClass> classes_;
  std::vector<std::size_t> first_class_;
};

// What accelerators' time and the memory's traffic are worth.
struct ResourcePrices {
  std::vector<double> of_second;  // of a whole accelerator, by kind
  double of_byte = 0;

  double Of(const PlacementOption& option) const {
    return option.time * of_second[option.kind] + option.bytes * of_byte;
  }
};

// Whether a deadline must be kept on average over the requests of a class, or by each of them.
enum class DeadlineRule : std::uint8_t { kOnAverage, kByEach };

// A request that keeps its deadline can't use a slow option that leaves too little time even when
// all else is at its fastest. How much slower than the fastest the option may be in this run:
inline FluidTime SlackIn(const FluidRun& run, Duration deadline) {
  constexpr double kRounding = 1e-9;  // of sums of latencies
  return FluidTime(deadline) * (1 + kRounding) - run.through;
}

// The constraints on accelerator time, bandwidth and deadlines. All are shares of what there is.
class FluidProgram {
 public:
  // `bandwidth` in bytes per second, 0: no limit.
  FluidProgram(std::vector<double> seconds_of_kind, double bandwidth, double seconds,
               DeadlineRule rule);

  LinearProgram& linear() { return linear_; }
  const LinearProgram& linear() const { return linear_; }
  // Serves the class's weight times the value of the variable `amount`.
  void Serve(const FluidClass& requests, int amount);
  // Of the last solution: how much the objective would gain.
  ResourcePrices Prices() const;

 private:
  // Takes `share` of the variable's value times the option's cost from what there is.
  void Use(const PlacementOption& option, int variable, double share);
  void LimitPaths(const FluidClass& requests, int amount,
                  const std::vector<std::vector<LinearProgram::Term>>& run_times);

  LinearProgram linear_;
  std::vector<double> seconds_of_kind_;
  std::vector<int> time_on_kind_;
  double bytes_ = 0;
  int bandwidth_ = -1;
  DeadlineRule rule_;
};

}  // namespace fairlead
