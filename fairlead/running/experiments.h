// Experiments that can be asked for by name: each reproduces a table or a figure, or answers a
// question of ours. experiments/NAME says what it asks and which numbers are expected.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/report/experiment_results.h"

namespace fairlead {

struct ExperimentPlan {
  bool quick = false;  // fewer seeds, smaller worlds: the same question, wider intervals
  std::uint64_t seed = 1;
  int seeds = 10;  // of a full run
  // A share of the whole, from any thread; may be empty.
  std::function<void(double share)> progressed;
  std::stop_token stop;
};

struct Experiment {
  std::string_view name;
  Result<ExperimentResults> (*run)(const ExperimentPlan& plan);
};

std::span<const Experiment> Experiments();
const Experiment* FindExperiment(std::string_view name);

}  // namespace fairlead
