// The linear program of the fluid bounds.
#pragma once

#include <vector>

#include "fairlead/workload/fluid_bound.h"
#include "fairlead/workload/fluid_loads.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {

// The constraints on accelerator time, bandwidth and deadlines. All are shares of what there is.
class FluidProgram {
 public:
  FluidProgram(const FluidSystem& system, double seconds);

  LinearProgram& linear() { return linear_; }
  // Serves the bucket's weight times the value of the variable `amount`.
  void Serve(const FluidLoad& load, const DeadlineBucket& bucket, int amount);

 private:
  // Takes `share` of the variable's value times the option's cost from what there is.
  void Use(const PlacementOption& option, int variable, double share);
  void LimitPaths(const FluidLoad& load, const DeadlineBucket& bucket, int amount,
                  const std::vector<std::vector<LinearProgram::Term>>& run_times);

  LinearProgram linear_;
  std::vector<double> seconds_of_kind_;
  std::vector<int> time_on_kind_;
  double bytes_ = 0;
  int bandwidth_ = -1;
};

}  // namespace fairlead
