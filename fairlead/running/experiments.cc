#include "fairlead/running/experiments.h"

#include <algorithm>
#include <array>

#include "fairlead/running/sharing_experiments.h"

namespace fairlead {

std::span<const Experiment> Experiments() {
  static constexpr std::array kExperiments = {
      Experiment{"welfare", RunWelfareExperiment},
  };
  return kExperiments;
}

const Experiment* FindExperiment(std::string_view name) {
  const auto all = Experiments();
  const auto found = std::ranges::find(all, name, &Experiment::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace fairlead
