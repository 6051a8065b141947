#include "fairlead/policies/planaria.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/lane_numbers.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/scored_lanes.h"
#include "fairlead/policies/unit_division.h"

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
    division_.Begin(view);
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
      if (!slot.divided || !slot.usable) continue;
      const auto [tasks, capacity] = division_.Gather(view, slot.id);
      fission_.Divide(tasks, capacity);
      division_.CarryOut(view, slot.id, plan);
    }
  }

 private:
  // Starts the segment where all units go to one, or notes it for the division.
  void Join(const SystemView& view, const ScoredSegment& entry, SchedulingPlan& plan) {
    const auto [slot, finish] =
        slots_.EarliestFinish(view, entry.job, view.job(entry.job).network, entry.segment);
    if (slot == nullptr) return;
    const PlacementChoice choice = slots_.Book(*slot, finish - slot->available);
    if (!slot->divided) {
      AddToPlan(choice, entry.job, entry.segment, plan);
    } else if (slot->usable) {
      division_.Join(slot->id, entry.job, entry.segment);
    }
  }

  std::string name_;
  PriorityOverSlack order_;
  EarlyDrop early_drop_;
  AcceleratorSlots slots_{AcceleratorSlots::Index::kOnline, AcceleratorSlots::Units::kDivided};
  ScoredLanes ready_;
  UnitDivision division_;
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
