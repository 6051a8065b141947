#include "fairlead/workload/fluid_program.h"

#include <algorithm>
#include <utility>

#include "fairlead/workload/fluid_shape.h"

namespace fairlead {
namespace {

using Term = LinearProgram::Term;

// Costs beyond this many times what there is are taken for this; it only loosens bounds, by less
// than the tolerance, and the solver needs coefficients that it can compare.
constexpr double kLargestShare = 1e8;

}  // namespace

FluidProgram::FluidProgram(std::vector<double> seconds_of_kind, double bandwidth, double seconds,
                           DeadlineRule rule)
    : seconds_of_kind_(std::move(seconds_of_kind)), rule_(rule) {
  for (double& time : seconds_of_kind_) {
    if (time == 0) time = 1;  // nothing is placed there
    time_on_kind_.push_back(linear_.AddConstraint(0, 1, {}));
  }
  if (bandwidth <= 0) return;
  bytes_ = bandwidth * seconds;
  bandwidth_ = linear_.AddConstraint(0, 1, {});
}

void FluidProgram::Use(const PlacementOption& option, int variable, double share) {
  const double time = share * option.time / seconds_of_kind_[option.kind];
  linear_.AddTerm(time_on_kind_[option.kind], {variable, std::min(time, kLargestShare)});
  if (bandwidth_ < 0) return;
  linear_.AddTerm(bandwidth_, {variable, std::min(share * option.bytes / bytes_, kLargestShare)});
}

void FluidProgram::Serve(const FluidClass& requests, int amount) {
  const DeadlineBucket& bucket = requests.bucket;
  // Deadline rows count in the deadline; a deadline of 0 leaves room for no latency at all.
  const FluidTime unit = std::max(FluidTime(bucket.deadline), FluidTime(1));
  std::vector<std::vector<Term>> run_times;
  for (const FluidRun& run : requests.shape->runs) {
    std::vector<Term>& time = run_times.emplace_back();
    const FluidTime slack = SlackIn(run, bucket.deadline);
    for (const FluidStep& step : run.steps) {
      const FluidTime fastest = step.Fastest();
      std::vector<PlacementOption> options = step.options;
      if (rule_ == DeadlineRule::kByEach)
        std::erase_if(options, [&](const PlacementOption& option) {
          return FluidTime(option.latency) > fastest && FluidTime(option.latency) - fastest > slack;
        });
      const bool choice = options.size() > 1;
      std::vector<Term> shares = {{amount, -1}};
      for (const PlacementOption& option : options) {
        const int variable = choice ? linear_.AddVariable() : amount;
        if (choice) shares.push_back({variable, 1});
        Use(option, variable, bucket.weight * step.segments);
        const double latency = step.segments * (FluidTime(option.latency) / unit);
        time.push_back({variable, std::min(latency, kLargestShare)});
      }
      if (choice) linear_.AddConstraint(0, 0, shares);
    }
  }
  if (bucket.limits) LimitPaths(requests, amount, run_times);
}

void FluidProgram::LimitPaths(const FluidClass& requests, int amount,
                              const std::vector<std::vector<Term>>& run_times) {
  const std::vector<FluidRun>& runs = requests.shape->runs;
  const double deadline = requests.bucket.deadline > Duration::zero() ? 1 : 0;
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

ResourcePrices FluidProgram::Prices() const {
  ResourcePrices prices;
  for (std::size_t kind = 0; kind < time_on_kind_.size(); ++kind)
    prices.of_second.push_back(linear_.Price(time_on_kind_[kind]) / seconds_of_kind_[kind]);
  if (bandwidth_ >= 0) prices.of_byte = linear_.Price(bandwidth_) / bytes_;
  return prices;
}

}  // namespace fairlead
