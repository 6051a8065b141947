// The linear program of the fluid bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/workload/fluid_bound.h"
#include "fairlead/workload/fluid_loads.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {

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
