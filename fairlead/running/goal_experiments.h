// The experiments on goal-independent scheduling (Kim et al., ICCD'21; seed 003): who serves most
// in 8 sets of networks by 5 ratios of requests, on a machine that was measured and on one like
// theirs.
#pragma once

#include "fairlead/running/experiments.h"

namespace fairlead {

// Hits per second at load 1; slowdowns of random placements; how searches compare.
Result<ExperimentResults> RunGoodputExperiment(const ExperimentPlan& plan);
// Requests per second at which 99 % keep their deadlines.
Result<ExperimentResults> RunSlo99Experiment(const ExperimentPlan& plan);

}  // namespace fairlead
