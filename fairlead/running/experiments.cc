#include "fairlead/running/experiments.h"

#include <algorithm>
#include <array>

#include "fairlead/running/goal_experiments.h"
#include "fairlead/running/interference_experiments.h"
#include "fairlead/running/learning_experiments.h"
#include "fairlead/running/sharing_experiments.h"

namespace fairlead {

std::span<const Experiment> Experiments() {
  static constexpr std::array kExperiments = {
      Experiment{"welfare", RunWelfareExperiment},
      Experiment{"weights", RunWeightsExperiment},
      Experiment{"deadlines", RunDeadlinesExperiment},
      Experiment{"unequal-load", RunUnequalLoadExperiment},
      Experiment{"overhead", RunOverheadExperiment},
      Experiment{"sharing-incentive", RunSharingIncentiveExperiment},
      Experiment{"envy", RunEnvyExperiment},
      Experiment{"learners", RunLearnersExperiment},
      Experiment{"honesty", RunHonestyExperiment},
      Experiment{"worked-examples", RunWorkedExamplesExperiment},
      Experiment{"interference-accuracy", RunInterferenceAccuracy},
      Experiment{"colocation", RunColocation},
      Experiment{"cpu-qps", RunCpuQps},
      Experiment{"goodput", RunGoodputExperiment},
      Experiment{"slo99", RunSlo99Experiment},
      Experiment{"fairness", RunFairnessExperiment},
      Experiment{"firm", RunFirmExperiment},
      Experiment{"energy", RunEnergyExperiment},
      Experiment{"newcomers", RunNewcomersExperiment},
  };
  return kExperiments;
}

const Experiment* FindExperiment(std::string_view name) {
  const auto all = Experiments();
  const auto found = std::ranges::find(all, name, &Experiment::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace fairlead
