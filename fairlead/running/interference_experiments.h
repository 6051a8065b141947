// The experiments on interference: seed 003's tables on a machine that was measured.
#pragma once

#include "fairlead/running/experiments.h"

namespace fairlead {

// The table of accuracies: learners by partition, taught by layers drawn at random and judged by
// layers of networks; and networks in mixes.
Result<ExperimentResults> RunInterferenceAccuracy(const ExperimentPlan& plan);

// Copies of one network side by side on measured cores, measured and simulated (seed 001).
Result<ExperimentResults> RunColocation(const ExperimentPlan& plan);

// Queries per second at 99 % satisfaction on measured cores, by policy (seed 001, VELTAIR).
Result<ExperimentResults> RunCpuQps(const ExperimentPlan& plan);

}  // namespace fairlead
