#include "fairlead/policies/unit_division.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fairlead {

namespace {

double AtLeastOne(Duration time) {
  return static_cast<double>(std::max(time, Duration{1}).count());
}

// The order in which what rounding leaves over is handed out.
bool Before(const FissionTask& a, double score_a, const FissionTask& b, double score_b) {
  return std::tie(b.priority, score_b, a.serial) < std::tie(a.priority, score_a, b.serial);
}

}  // namespace

void Fission::Divide(std::span<FissionTask> tasks, int capacity) {
  int needed = 0;
  int kept = 0;
  bool all_can = true;
  bool any_can = false;
  for (FissionTask& task : tasks) {
    task.units = task.running ? task.fewest : 0;
    kept += task.units;
    needed += std::min(task.need, capacity + 1);
    all_can = all_can && task.need > 0;
    any_can = any_can || task.need > 0;
    if (needed > capacity) needed = capacity + 1;  // of a thousand tasks: no overflow
  }
  if (all_can && needed <= capacity) return GrantNeeds(tasks, capacity);
  if (any_can) return ServeGreedily(tasks, capacity - kept);
  ServeHopeless(tasks, capacity - kept);
}

void Fission::GrantNeeds(std::span<FissionTask> tasks, int capacity) {
  int spare = capacity;
  for (FissionTask& task : tasks) {
    task.units = task.need;
    spare -= task.need;
  }
  Spread(tasks, spare);
}

void Fission::ServeGreedily(std::span<FissionTask> tasks, int spare) {
  ranked_.clear();
  for (FissionTask& task : tasks) {
    if (task.need > task.units)
      ranked_.push_back({task.priority / (AtLeastOne(task.slack) * task.need), &task});
  }
  const auto lower = [](const Ranked& a, const Ranked& b) {
    return std::tie(a.score, b.task->serial) < std::tie(b.score, a.task->serial);
  };
  std::ranges::make_heap(ranked_, lower);
  while (spare > 0 && !ranked_.empty()) {
    std::ranges::pop_heap(ranked_, lower);
    FissionTask& task = *ranked_.back().task;
    ranked_.pop_back();
    const int more = std::min(task.need - task.units, spare);
    if (task.units + more < task.fewest) continue;
    task.units += more;
    spare -= more;
  }
}

void Fission::ServeHopeless(std::span<FissionTask> tasks, int spare) {
  Spread(tasks, spare);
  bool any = false;
  for (FissionTask& task : tasks) {
    if (task.units < task.fewest) task.units = 0;
    any = any || task.units > 0;
  }
  if (any) return;
  // Nobody can run on so little: the first of those that all is enough for takes all.
  FissionTask* first = nullptr;
  for (FissionTask& task : tasks) {
    if (task.fewest > spare) continue;
    if (first == nullptr || Before(task, task.priority / AtLeastOne(task.remaining), *first,
                                   first->priority / AtLeastOne(first->remaining)))
      first = &task;
  }
  if (first != nullptr) first->units = spare;
}

void Fission::DivideInOrder(std::span<FissionTask> tasks, int capacity) {
  int spare = capacity;
  for (FissionTask& task : tasks) {
    task.units = task.running ? task.fewest : 0;
    spare -= task.units;
  }
  std::ranges::sort(tasks, {}, &FissionTask::place);
  for (FissionTask& task : tasks) {
    const int more = std::min(task.need - task.units, spare);
    // What runs takes what it can get; what does not would be late.
    if (more <= 0 || (!task.running && more < task.need)) continue;
    task.units += more;
    spare -= more;
  }
  for (FissionTask& task : tasks) {
    if (task.need > 0 || task.units > 0 || task.fewest > spare) continue;
    task.units = task.fewest;
    spare -= task.fewest;
  }
  if (spare > 0) Spread(tasks, spare, Among::kServed);
}

void Fission::Spread(std::span<FissionTask> tasks, int amount, Among among) {
  ranked_.clear();
  double sum = 0;
  for (FissionTask& task : tasks) {
    if (among == Among::kServed && task.units == 0) continue;
    ranked_.push_back({task.priority / AtLeastOne(task.remaining), &task});
    sum += ranked_.back().score;
  }
  int left = amount;
  for (Ranked& ranked : ranked_) {
    ranked.extra = sum > 0 ? static_cast<int>(std::lround(amount * ranked.score / sum)) : 0;
    ranked.task->units += ranked.extra;
    left -= ranked.extra;
  }
  if (left < 0) std::erase_if(ranked_, [](const Ranked& ranked) { return ranked.extra == 0; });
  if (left != 0 && !ranked_.empty()) Correct(left);
}

void Fission::Correct(int difference) {
  const int step = difference > 0 ? 1 : -1;
  const auto count = std::min<std::ptrdiff_t>(std::abs(difference), std::ssize(ranked_));
  std::ranges::partial_sort(ranked_, ranked_.begin() + count,
                            [&](const Ranked& a, const Ranked& b) {
                              return difference > 0 ? Before(*a.task, a.score, *b.task, b.score)
                                                    : Before(*b.task, b.score, *a.task, a.score);
                            });
  for (std::size_t i = 0; difference != 0; i = (i + 1) % static_cast<std::size_t>(count)) {
    ranked_[i].task->units += step;
    difference -= step;
  }
}

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
