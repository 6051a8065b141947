#include "fairlead/workload/fluid_program.h"

#include <algorithm>

#include "fairlead/workload/fluid_shape.h"

namespace fairlead {
namespace {

using Term = LinearProgram::Term;

// Costs beyond this many times what there is are taken for this; it only loosens bounds, by less
// than the tolerance, and the solver needs coefficients that it can compare.
constexpr double kLargestShare = 1e8;

}  // namespace

FluidProgram::FluidProgram(const FluidSystem& system, double seconds) {
  for (int count : system.platform.CountByKind()) {
    seconds_of_kind_.push_back(count * seconds);
    time_on_kind_.push_back(linear_.AddConstraint(0, 1, {}));
  }
  if (system.platform.bandwidth <= 0) return;
  bytes_ = static_cast<double>(system.platform.bandwidth) * seconds;
  bandwidth_ = linear_.AddConstraint(0, 1, {});
}

void FluidProgram::Use(const PlacementOption& option, int variable, double share) {
  const double time = share * InSeconds(option.latency) / seconds_of_kind_[option.kind];
  linear_.AddTerm(time_on_kind_[option.kind], {variable, std::min(time, kLargestShare)});
  if (bandwidth_ < 0) return;
  const double traffic = share * static_cast<double>(option.dram_bytes) / bytes_;
  linear_.AddTerm(bandwidth_, {variable, std::min(traffic, kLargestShare)});
}

void FluidProgram::Serve(const FluidLoad& load, const DeadlineBucket& bucket, int amount) {
  // Deadline rows count in the deadline; a deadline of 0 leaves room for no latency at all.
  const FluidTime unit = std::max(FluidTime(bucket.deadline), FluidTime(1));
  std::vector<std::vector<Term>> run_times;
  for (const FluidRun& run : load.shape.runs) {
    std::vector<Term>& time = run_times.emplace_back();
    for (const FluidStep& step : run.steps) {
      const bool choice = step.options.size() > 1;
      std::vector<Term> shares = {{amount, -1}};
      for (const PlacementOption& option : step.options) {
        const int variable = choice ? linear_.AddVariable() : amount;
        if (choice) shares.push_back({variable, 1});
        Use(option, variable, bucket.weight * step.segments);
        const double latency = step.segments * (FluidTime(option.latency) / unit);
        time.push_back({variable, std::min(latency, kLargestShare)});
      }
      if (choice) linear_.AddConstraint(0, 0, shares);
    }
  }
  if (bucket.limits) LimitPaths(load, bucket, amount, run_times);
}

void FluidProgram::LimitPaths(const FluidLoad& load, const DeadlineBucket& bucket, int amount,
                              const std::vector<std::vector<Term>>& run_times) {
  const std::vector<FluidRun>& runs = load.shape.runs;
  const double deadline = bucket.deadline > Duration::zero() ? 1 : 0;
  std::vector<int> finish;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    finish.push_back(runs[i].last ? amount : linear_.AddVariable());
    std::vector<Term> terms = {{finish[i], runs[i].last ? deadline : 1}};
    for (const Term& time : run_times[i]) terms.push_back({time.variable, -time.coefficient});
    if (runs[i].after.empty()) linear_.AddConstraint(0, LinearProgram::kInfinity, terms);
    for (std::size_t before : runs[i].after) {
      terms.push_back({finish[before], -1});
      linear_.AddConstraint(0, LinearProgram::kInfinity, terms);
      terms.pop_back();
    }
  }
}

}  // namespace fairlead
