// The experiments on sharing: chapter 5 of Omidi's thesis, and what its text leaves open.
#pragma once

#include "fairlead/running/experiments.h"

namespace fairlead {

// Figures 5.2 to 5.12: welfare and throughput by weights and queue utility.
Result<ExperimentResults> RunWelfareExperiment(const ExperimentPlan& plan);

}  // namespace fairlead
