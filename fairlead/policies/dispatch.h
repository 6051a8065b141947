// What policies do with the segments they have put in order: give up the hopeless ones, and ask a
// placement for the others, one after another, until no accelerator can take more or the memory
// is busy enough.
#pragma once

#include <memory>

#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/memory_limit.h"
#include "fairlead/policies/placement.h"
#include "fairlead/policies/unit_division.h"
#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class Dispatch {
 public:
  Dispatch(DropRule drop, MemoryLimit memory, std::unique_ptr<Placement> placement,
           AcceleratorSlots::Units units = AcceleratorSlots::Units::kWhole);

  // Opens a decision, and gives up what it has to. With a rule, what that says to exceed comes
  // second with the memory too.
  void Begin(const SystemView& view, SchedulingPlan& plan, const ScoringRule* rule = nullptr);
  // As Placement says; or the memory is busy enough.
  bool Exhausted() const { return placement_->Exhausted() || memory_.Closed(); }
  const Placement& placement() const { return *placement_; }
  const EarlyDrop& early_drop() const { return early_drop_; }
  // Co-runners are those of the moment, for giving up too.
  void BesideNow() { early_drop_.BesideNow(); }
  // Finds a place for a ready segment of a job that is not given up; the caller tells the plan.
  PlacementChoice Place(const SystemView& view, const PlacedSegment& what) {
    if (!memory_.Allows(view, what.network, what.segment)) return {};
    const PlacementChoice choice = placement_->Place(view, what);
    Count(view, choice, what.network, what.segment);
    return choice;
  }
  // Before the memory is busy enough.
  PlacedRun PlaceRun(const SystemView& view, std::span<const QueuedSegment> segments) {
    const PlacedRun run = placement_->PlaceRun(view, segments);
    const QueuedSegment& last = segments[run.placed - 1];
    Count(view, run.last, last.network, last.segment);
    return run;
  }
  // The same, and starts or enqueues it there, throttled if need be, or lets it wait. Where units
  // are divided, it joins those among whom they are.
  PlacementChoice Offer(const SystemView& view, JobId job, SegmentId segment,
                        SchedulingPlan& plan) {
    const NetworkId network = view.job(job).network;
    const bool exceeds = rule_ != nullptr && rule_->Exceeds(view, job);
    if (!memory_.Allows(view, network, segment, exceeds)) return {};
    const PlacementChoice choice = placement_->Place(view, {job, network, segment});
    if (choice.action == PlacementChoice::Action::kWait) return choice;
    if (Divides(view, choice.accelerator)) {
      const auto most = kMostForUnit * view.accelerators()[choice.accelerator.index()].units;
      if (division_.Joined(choice.accelerator) < static_cast<std::size_t>(most))
        division_.Join(choice.accelerator, job, segment);
      return choice;
    }
    const KindId kind = view.accelerators()[choice.accelerator.index()].kind;
    const std::int64_t cap =
        memory_.CapOf(view, network, segment, kind, exceeds, HurryOf(view, job, segment));
    memory_.Count(view, choice.action, network, segment, kind, cap, exceeds);
    AddToPlan(choice, job, segment, plan, {.bandwidth_cap = cap});
    return choice;
  }
  // Units of this accelerator are divided among what has joined it and what runs there.
  bool Divides(const SystemView& view, AcceleratorId accelerator) const {
    return units_ == AcceleratorSlots::Units::kDivided &&
           view.accelerators()[accelerator.index()].units > 1;
  }
  UnitDivision& division() { return division_; }

 private:
  // The part of its speed alone that a job must keep to make its deadline.
  static double HurryOf(const SystemView& view, JobId id, SegmentId segment) {
    const Job& job = view.job(id);
    const auto rest =
        static_cast<double>(Nanoseconds(view.costs().ShortestTail(job.network, segment)));
    const auto slack = static_cast<double>(Nanoseconds(job.deadline - view.now()));
    return slack <= rest ? 1 : rest / slack;
  }

  // Of those in order, more than so many for each unit cannot hope for one.
  static constexpr int kMostForUnit = 4;

  void Count(const SystemView& view, const PlacementChoice& choice, NetworkId network,
             SegmentId segment) {
    if (choice.action == PlacementChoice::Action::kWait) return;
    memory_.Count(view, choice.action, network, segment,
                  view.accelerators()[choice.accelerator.index()].kind);
  }

  EarlyDrop early_drop_;
  MemoryLimit memory_;
  std::unique_ptr<Placement> placement_;
  AcceleratorSlots::Units units_;
  const ScoringRule* rule_ = nullptr;
  UnitDivision division_;  // where units are divided
};

}  // namespace fairlead
