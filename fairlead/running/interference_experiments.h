// The experiments on interference: seed 003's tables on a machine that was measured.
#pragma once

#include "fairlead/running/experiments.h"

namespace fairlead {

// The table of accuracies: learners by partition, taught by layers drawn at random and judged by
// layers of networks; and networks in mixes.
Result<ExperimentResults> RunInterferenceAccuracy(const ExperimentPlan& plan);

}  // namespace fairlead
