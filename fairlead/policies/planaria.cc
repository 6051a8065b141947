#include "fairlead/policies/planaria.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/fission.h"
#include "fairlead/policies/lane_numbers.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/scored_lanes.h"
#include "fairlead/policies/unit_costs.h"

namespace fairlead {
namespace {

// Priority over slack, largest first.
//
// Lanes: two for each priority, those in time by deadline, and the late ones: by deadline too, or
// by arrival where all that is late is alike.
class PriorityOverSlack final : public ScoringRule, public LaneRule {
 public:
  explicit PriorityOverSlack(LateRule late) : late_(late) {}

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      segment.score = -Quotient(job.priority, job.deadline - view.now());
    }
  }

  LaneRule* lanes() override { return this; }
  Spot SpotOf(const SystemView& view, const Job& job, SegmentId /*segment*/) override {
    const std::size_t number = numbers_.Of(static_cast<std::uint64_t>(job.priority));
    if (priorities_.size() <= number) priorities_.resize(number + 1);
    priorities_[number] = job.priority;
    const bool late = job.priority > 0 && IsLate(view, job.deadline);
    const bool alike = job.priority == 0 || (late && late_ == LateRule::kUrgent);
    return {2 * number + (late ? 1 : 0),
            alike ? static_cast<std::int64_t>(job.serial) : Nanoseconds(job.deadline)};
  }
  Standing Best(const SystemView& view, std::size_t lane, std::int64_t key) override {
    const bool alike = Late(lane) && late_ == LateRule::kUrgent;
    const Duration slack = alike ? Duration{} : AtNanoseconds(key) - view.now();
    return {.score = -Quotient(priorities_[lane / 2], slack)};
  }
  bool Leaves(const SystemView& view, std::size_t lane, std::int64_t key) override {
    return !Late(lane) && priorities_[lane / 2] > 0 && IsLate(view, AtNanoseconds(key));
  }

 private:
  static bool Late(std::size_t lane) { return lane % 2 == 1; }
  bool IsLate(const SystemView& view, Instant deadline) const {
    // Where the late are alike, so is what has a nanosecond left.
    return deadline - view.now() < Duration{late_ == LateRule::kUrgent ? 2 : 0};
  }
  double Quotient(int priority, Duration slack) const {
    if (priority == 0) return 0;  // also where there is no slack
    if (late_ == LateRule::kUrgent) slack = std::max(slack, Duration{1});
    return priority / static_cast<double>(slack.count());
  }

  LateRule late_;
  LaneNumbers numbers_;
  std::vector<int> priorities_;  // by number
};

class Planaria final : public SchedulingPolicy {
 public:
  Planaria(std::string name, const PlanariaOptions& options)
      : name_(std::move(name)), order_(options.late), early_drop_(options.drop) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    costs_.Follow(view);
    joined_.resize(view.accelerators().size());
    ready_.Take(view, order_);
    early_drop_.Begin(view, plan);
    slots_.Begin(view);
    if (!slots_.Exhausted()) {
      ready_.Walk(view, early_drop_, order_, order_, [&](const ScoredSegment& entry) {
        Join(view, entry, plan);
        return !slots_.Exhausted();
      });
    }
    for (const AcceleratorSlot& slot : slots_.slots()) {
      if (slot.divided && slot.usable) Divide(view, slot, plan);
    }
  }

 private:
  // Starts the segment where all units go to one, or notes it for the division.
  void Join(const SystemView& view, const ScoredSegment& entry, SchedulingPlan& plan) {
    const auto [slot, finish] =
        slots_.EarliestFinish(view, view.job(entry.job).network, entry.segment);
    if (slot == nullptr) return;
    const PlacementChoice choice = slots_.Book(*slot, finish - slot->available);
    if (!slot->divided) {
      AddToPlan(choice, entry.job, entry.segment, plan);
    } else if (slot->usable) {
      joined_[slot->id.index()].push_back(entry);
    }
  }

  void Divide(const SystemView& view, const AcceleratorSlot& slot, SchedulingPlan& plan) {
    const AcceleratorState& accelerator = view.accelerators()[slot.id.index()];
    std::vector<ScoredSegment>& joined = joined_[slot.id.index()];
    int capacity = accelerator.units;
    tasks_.clear();
    resizable_.clear();
    for (AssignmentId id : accelerator.running) {
      const Assignment& running = view.assignment(id);
      if (running.batch() > 1) {  // begun under another policy
        capacity -= running.units;
        continue;
      }
      resizable_.push_back(id);
      tasks_.push_back(TaskOf(view, running));
    }
    for (const ScoredSegment& entry : joined)
      tasks_.push_back(TaskOf(view, entry.job, entry.segment, slot.kind));
    fission_.Divide(tasks_, capacity);
    const auto resize = [&](auto&& wanted) {
      for (std::size_t i = 0; i < resizable_.size(); ++i) {
        const int units = view.assignment(resizable_[i]).units;
        if (wanted(tasks_[i].units, units)) plan.Resize(resizable_[i], tasks_[i].units);
      }
    };
    // Units are taken before they are given.
    resize([](int after, int before) { return after < before; });
    for (std::size_t i = 0; i < joined.size(); ++i) {
      const int units = tasks_[resizable_.size() + i].units;
      if (units > 0) plan.Start(slot.id, joined[i].job, joined[i].segment, {.units = units});
    }
    resize([](int after, int before) { return after > before; });
    joined.clear();
  }

  FissionTask TaskOf(const SystemView& view, const Assignment& running) const {
    const KindId kind = view.accelerators()[running.accelerator.index()].kind;
    const Duration whole = running.configured_latency;
    const double left = whole.count() == 0
                            ? 0
                            : static_cast<double>(running.BelievedLeft(view.now()).count()) /
                                  static_cast<double>(whole.count());
    FissionTask task = TaskOf(view, running.jobs.front(), running.segment, kind, left);
    task.running = true;
    // What was given up still has to finish, and asks for nothing.
    if (!view.job(running.jobs.front()).active) {
      task.need = task.fewest;
      task.priority = 0;
    }
    return task;
  }

  // `left` is the share of the segment that has not run yet.
  FissionTask TaskOf(const SystemView& view, JobId id, SegmentId segment, KindId kind,
                     double left = 1) const {
    const Job& job = view.job(id);
    const auto costs = costs_.Of(job.network, segment, kind);
    FissionTask task{.serial = job.serial,
                     .priority = static_cast<double>(job.priority),
                     .slack = job.deadline - view.now(),
                     .fewest = UnitCosts::Fewest(costs)};
    const auto remaining = [&](std::size_t units) {
      const UnitCost& cost = costs[units - 1];
      return cost.rest +
             Duration{static_cast<std::int64_t>(left * static_cast<double>(cost.own.count()))};
    };
    for (auto units = static_cast<std::size_t>(task.fewest); units <= costs.size(); ++units) {
      task.remaining = remaining(units);
      if (task.remaining > task.slack) continue;
      task.need = static_cast<int>(units);
      break;
    }
    return task;
  }

  std::string name_;
  PriorityOverSlack order_;
  EarlyDrop early_drop_;
  UnitCosts costs_;
  AcceleratorSlots slots_{AcceleratorSlots::Index::kOnline, AcceleratorSlots::Units::kDivided};
  ScoredLanes ready_;
  std::vector<std::vector<ScoredSegment>> joined_;  // per accelerator; scratch
  std::vector<FissionTask> tasks_;                  // scratch: what runs, then what joined
  std::vector<AssignmentId> resizable_;             // scratch: what runs
  Fission fission_;
};

}  // namespace

std::unique_ptr<ScoringRule> MakePriorityOverSlack(LateRule late) {
  return std::make_unique<PriorityOverSlack>(late);
}

std::unique_ptr<SchedulingPolicy> MakePlanaria(std::string name, const PlanariaOptions& options) {
  return std::make_unique<Planaria>(std::move(name), options);
}

}  // namespace fairlead
