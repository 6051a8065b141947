// The experiments on sharing: chapter 5 of Omidi's thesis, and what its text leaves open.
#pragma once

#include "fairlead/running/experiments.h"

namespace fairlead {

// Figures 5.2 to 5.12: welfare and throughput by weights and queue utility.
Result<ExperimentResults> RunWelfareExperiment(const ExperimentPlan& plan);

// Figures 5.6, 5.9 and 5.12: throughput by weight.
Result<ExperimentResults> RunWeightsExperiment(const ExperimentPlan& plan);
// Figure 5.13: welfare where inferences are dropped at deadlines.
Result<ExperimentResults> RunDeadlinesExperiment(const ExperimentPlan& plan);
// Figures 5.14 and 5.15: some agents are busier than others.
Result<ExperimentResults> RunUnequalLoadExperiment(const ExperimentPlan& plan);
// Figure 5.18: phi; with pooled queues and above full load too.
Result<ExperimentResults> RunSharingIncentiveExperiment(const ExperimentPlan& plan);
// Table 5.2.
Result<ExperimentResults> RunEnvyExperiment(const ExperimentPlan& plan);
// Actor-critic against hedge, and both against thresholds that stay.
Result<ExperimentResults> RunLearnersExperiment(const ExperimentPlan& plan);
// Pareto efficiency, regret, and what misreporting brings.
Result<ExperimentResults> RunHonestyExperiment(const ExperimentPlan& plan);
// Figures 5.16 and 5.17: how long mechanisms think.
Result<ExperimentResults> RunOverheadExperiment(const ExperimentPlan& plan);
// Tables 2.1, 2.2 and 3.1 to 3.3, and the examples of chapters 1 and 3.4.
Result<ExperimentResults> RunWorkedExamplesExperiment(const ExperimentPlan& plan);

}  // namespace fairlead
