// Experiments on learned scheduling: experiments/fairness, firm, energy, newcomers.
#pragma once

#include "fairlead/running/experiments.h"

namespace fairlead {

Result<ExperimentResults> RunFairnessExperiment(const ExperimentPlan& plan);
Result<ExperimentResults> RunFirmExperiment(const ExperimentPlan& plan);
Result<ExperimentResults> RunEnergyExperiment(const ExperimentPlan& plan);
Result<ExperimentResults> RunNewcomersExperiment(const ExperimentPlan& plan);

}  // namespace fairlead
