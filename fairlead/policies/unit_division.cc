#include "fairlead/policies/unit_division.h"

namespace fairlead {
namespace {

Duration Part(double share, Duration time) {
  return Duration{static_cast<std::int64_t>(share * static_cast<double>(time.count()))};
}

// What of a segment that runs is believed to be left.
double LeftOf(const SystemView& view, const Assignment& running) {
  const Duration whole = running.configured_latency;
  if (whole.count() == 0) return 0;
  return static_cast<double>(running.BelievedLeft(view.now()).count()) /
         static_cast<double>(whole.count());
}

}  // namespace

UnitDivision::Tasks UnitDivision::Gather(const SystemView& view, AcceleratorId accelerator,
                                         double of_slack) {
  const AcceleratorState& state = view.accelerators()[accelerator.index()];
  int capacity = state.units;
  tasks_.clear();
  for (AssignmentId id : state.running) {
    const Assignment& running = view.assignment(id);
    if (running.batch() > 1) {  // begun under another policy
      capacity -= running.units;
      continue;
    }
    FissionTask task = TaskOf(view, running.jobs.front(), running.segment, state.kind,
                              LeftOf(view, running), of_slack);
    task.running = true;
    task.assignment = id;
    // What was given up still has to finish, and asks for nothing.
    if (!view.job(task.job).active) {
      task.need = task.fewest;
      task.priority = 0;
    }
    tasks_.push_back(task);
  }
  for (const auto& [job, segment] : joined_[accelerator.index()])
    tasks_.push_back(TaskOf(view, job, segment, state.kind, 1, of_slack));
  return {tasks_, capacity};
}

void UnitDivision::CarryOut(const SystemView& view, AcceleratorId accelerator,
                            SchedulingPlan& plan) {
  const auto resize = [&](auto&& wanted) {
    for (const FissionTask& task : tasks_) {
      if (!task.running) continue;
      const int before = view.assignment(task.assignment).units;
      if (wanted(task.units, before)) plan.Resize(task.assignment, task.units);
    }
  };
  // Units are taken before they are given.
  resize([](int after, int before) { return after < before; });
  for (const FissionTask& task : tasks_) {
    if (!task.running && task.units > 0)
      plan.Start(accelerator, task.job, task.segment, {.units = task.units});
  }
  resize([](int after, int before) { return after > before; });
  joined_[accelerator.index()].clear();
}

FissionTask UnitDivision::TaskOf(const SystemView& view, JobId id, SegmentId segment, KindId kind,
                                 double left, double of_slack) const {
  const Job& job = view.job(id);
  const auto costs = costs_.Of(job.network, segment, kind);
  FissionTask task{.job = id,
                   .segment = segment,
                   .serial = job.serial,
                   .priority = static_cast<double>(job.priority),
                   .slack = job.deadline - view.now(),
                   .fewest = UnitCosts::Fewest(costs)};
  const Duration enough = Part(of_slack, task.slack);
  for (auto units = static_cast<std::size_t>(task.fewest); units <= costs.size(); ++units) {
    const UnitCost& cost = costs[units - 1];
    task.remaining = cost.rest + Part(left, cost.own);
    if (task.remaining > (units < costs.size() ? enough : task.slack)) continue;
    task.need = static_cast<int>(units);
    break;
  }
  return task;
}

}  // namespace fairlead
