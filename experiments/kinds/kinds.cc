#include "experiments/kinds/kinds.h"

#include <array>

namespace fairlead {

std::span<const ExperimentKind> OwnExperimentKinds() {
  static constexpr std::array kKinds = {
      ExperimentKind{"goal-directed", GoalDirectedTasks},
      ExperimentKind{"goal-platforms", GoalPlatformTasks},
      ExperimentKind{"interference-accuracy", InterferenceAccuracyTasks},
      ExperimentKind{"cores-qps", CoresQpsTasks},
      ExperimentKind{"colocation", ColocationTasks},
      ExperimentKind{"sharing-honesty", SharingHonestyTasks},
      ExperimentKind{"sharing-overhead", SharingOverheadTasks},
      ExperimentKind{"worked-examples", WorkedExamplesTasks},
  };
  return kKinds;
}

}  // namespace fairlead
