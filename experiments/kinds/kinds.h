// Kinds of runs that grids of scenarios and policies cannot say: each turns a grid of an
// experiment.yaml into tasks whose rows it measures itself. They are no part of the library.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "fairlead/running/experiments.h"

namespace fairlead {

std::span<const ExperimentKind> OwnExperimentKinds();

using Tasks = Result<std::vector<ExperimentTask>>;

// Kim et al. (2021), goal_directed.cc: assignments that are searched for under a belief.
Tasks GoalDirectedTasks(const ExperimentGrid& grid, const ExperimentPlan& plan);
Tasks GoalPlatformTasks(const ExperimentGrid& grid, const ExperimentPlan& plan);
// Kim et al. (2021), interference_accuracy.cc: how well learners foretell slowdowns.
Tasks InterferenceAccuracyTasks(const ExperimentGrid& grid, const ExperimentPlan& plan);
// Liu et al. (2022), cores.cc: queries per second at 99 % in time; copies side by side.
Tasks CoresQpsTasks(const ExperimentGrid& grid, const ExperimentPlan& plan);
Tasks ColocationTasks(const ExperimentGrid& grid, const ExperimentPlan& plan);
// Omidi (2024): what one agent could gain, how long mechanisms think, and printed examples.
Tasks SharingHonestyTasks(const ExperimentGrid& grid, const ExperimentPlan& plan);
Tasks SharingOverheadTasks(const ExperimentGrid& grid, const ExperimentPlan& plan);
Tasks WorkedExamplesTasks(const ExperimentGrid& grid, const ExperimentPlan& plan);

// A value that several tasks need, made by the first of them.
template <typename T>
class MadeOnce {
 public:
  explicit MadeOnce(std::function<Result<T>()> make) : make_(std::move(make)) {}
  const Result<T>& Get() {
    std::call_once(once_, [this] { value_.emplace(make_()); });
    return *value_;
  }

 private:
  std::function<Result<T>()> make_;
  std::once_flag once_;
  std::optional<Result<T>> value_;
};

}  // namespace fairlead
