#include "fairlead/policies/clockwork.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

class Clockwork final : public SchedulingPolicy {
 public:
  Clockwork(std::string name, const ClockworkOptions& options)
      : name_(std::move(name)),
        options_(options),
        early_drop_(DropRule::kEarly, options.margin),
        memory_(options.memory) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (groups_.empty()) Prepare(view);
    if (costs_version_ != view.costs_version()) {
      queue_.Clear();
      for (Group& group : groups_) group.waiting.Clear();
      for (const ReadySegment& ready : view.ready()) Queue(view, ready, view.job(ready.job));
    } else {
      VisitNewlyReady(view,
                      [&](const ReadySegment& ready, const Job& job) { Queue(view, ready, job); });
    }
    costs_version_ = view.costs_version();
    early_drop_.Begin(view, plan);
    slots_.Begin(view, options_.ahead);
    memory_.Begin(view);
    if (!Exhausted()) {
      ++decision_;
      last_visited_ = {};
      queue_.Walk([&](const QueuedSegment& entry) { return Visit(view, entry, plan); });
    }
    if (options_.ahead > Duration::zero() && queue_.size() > 0) WakeInTime(view, plan);
  }

 private:
  // The jobs that wait with the same segment of a network: those that can share a batch.
  struct Group {
    bool batches = false;
    ReadyQueue waiting;          // by deadline; only if there are batches
    std::uint64_t decision = 0;  // when `started` was counted
    std::uint32_t started = 0;   // of those that the walk has not come to yet
    std::uint64_t foreseen = 0;  // the last decision that foresaw a batch on a busy accelerator
    int seats = 0;               // left in it
  };

  void Prepare(const SystemView& view) {
    const CostTable& costs = view.costs();
    for (std::size_t n = 0; n < view.networks().size(); ++n) {
      first_group_.push_back(groups_.size());
      for (std::size_t s = 0; s < view.networks()[n].size(); ++s) {
        Group& group = groups_.emplace_back();
        for (std::size_t k = 0; k < costs.kinds(); ++k) {
          if (costs.LargestBatch(NetworkId{n}, SegmentId{s}, KindId{k}) > 1) group.batches = true;
        }
      }
    }
  }
  bool Exhausted() const { return slots_.Exhausted() || memory_.Closed(); }

  Group& GroupOf(NetworkId network, SegmentId segment) {
    return groups_[first_group_[network.index()] + segment.index()];
  }

  void Queue(const SystemView& view, const ReadySegment& ready, const Job& job) {
    const Duration tail = view.costs().ShortestTail(job.network, ready.segment);
    const QueuedSegment entry{Nanoseconds(job.deadline - tail),
                              job.serial,
                              ready.segment,
                              ready.job,
                              job.network,
                              job.covered};
    queue_.Push(entry);
    Group& group = GroupOf(job.network, ready.segment);
    if (group.batches) group.waiting.Push(entry);
  }

  ReadyQueue::Step Visit(const SystemView& view, const QueuedSegment& entry, SchedulingPlan& plan) {
    // A batch that was taken back shows its jobs anew while they may still stand here.
    const bool twice = entry.serial == last_visited_.serial && entry.key == last_visited_.key &&
                       entry.segment == last_visited_.segment;
    last_visited_ = entry;
    if (twice || !view.IsReady(entry.job, entry.serial, entry.segment) ||
        early_drop_.GivenUp(entry.job, entry.serial))
      return ReadyQueue::Step::kRemove;
    const Job& job = view.job(entry.job);
    Group& group = GroupOf(job.network, entry.segment);
    if (group.decision == decision_ && group.started > 0) {
      --group.started;
      return ReadyQueue::Step::kRemove;
    }
    const CostTable& costs = view.costs();
    const Duration rest =
        costs.ShortestTail(job.network, entry.segment) - costs.Fastest(job.network, entry.segment);
    const Instant latest_end = job.deadline - options_.margin - rest;  // of this segment
    const auto [slot, end] = slots_.EarliestFinish(view, entry.job, job.network, entry.segment);
    if (slot != nullptr && end <= latest_end) {
      if (!slot->usable) {
        WaitFor(view, entry, *slot, end);
        return ReadyQueue::Step::kKeep;
      }
      StartBatch(view, entry, *slot, latest_end, plan);
      return Exhausted() ? ReadyQueue::Step::kRemoveAndStop : ReadyQueue::Step::kRemove;
    }
    // With hand-overs it may be too late although the tail, which knows of none, says otherwise.
    if (view.PlacesMatter() && slot != nullptr && slot->idle) {
      early_drop_.GiveUpJob(view, entry.job, plan);
      return ReadyQueue::Step::kRemove;
    }
    return ReadyQueue::Step::kKeep;  // until it is hopeless
  }

  // Its action is foreseen on a busy accelerator, and is sent when that is free. Whoever waits with
  // the same segment would join it, as far as a batch goes.
  void WaitFor(const SystemView& view, const QueuedSegment& entry, AcceleratorSlot& slot,
               Instant end) {
    const NetworkId network = view.job(entry.job).network;
    Group& group = GroupOf(network, entry.segment);
    if (group.foreseen == decision_ && group.seats > 0) {
      --group.seats;
      return;
    }
    group.foreseen = decision_;
    group.seats = view.costs().LargestBatch(network, entry.segment, slot.kind) - 1;
    slots_.Book(slot, end - slot.available);
  }

  // When the batch ends on all units of the slot; never where there is no batch of that size.
  Instant End(const SystemView& view, NetworkId network, SegmentId segment,
              const AcceleratorSlot& slot) const {
    const int units = view.accelerators()[slot.id.index()].units;
    const SegmentCost* cost =
        view.costs().Find(network, segment, slot.kind, {units, static_cast<int>(batch_.size())});
    if (cost == nullptr) return kNever;
    Duration hand_overs = slots_.HandOver(view, slot, batch_.front(), segment);
    for (std::size_t i = 1; view.PlacesMatter() && i < batch_.size(); ++i)
      hand_overs += view.HandOverTo(batch_[i], segment, slot.id).move;
    return slot.available + cost->latency + hand_overs;
  }
  void StartBatch(const SystemView& view, const QueuedSegment& entry, AcceleratorSlot& slot,
                  Instant latest_end, SchedulingPlan& plan) {
    const NetworkId network = view.job(entry.job).network;
    Group& group = GroupOf(network, entry.segment);
    Gather(view, entry, view.costs().LargestBatch(network, entry.segment, slot.kind), group);
    while (batch_.size() > 1 && End(view, network, entry.segment, slot) > latest_end)
      batch_.pop_back();
    if (group.batches) {
      group.decision = decision_;
      group.started = static_cast<std::uint32_t>(batch_.size() - 1);
      std::size_t left = batch_.size();
      group.waiting.Walk([&](const QueuedSegment& waiting) {
        if (waiting < entry) return ReadyQueue::Step::kKeep;
        return --left == 0 ? ReadyQueue::Step::kRemoveAndStop : ReadyQueue::Step::kRemove;
      });
    }
    const Instant end = End(view, network, entry.segment, slot);
    const PlacementChoice choice = slots_.Book(slot, end - slot.available);
    memory_.Count(view, choice.action, network, entry.segment, slot.kind);
    if (choice.action == PlacementChoice::Action::kStart) {
      plan.StartBatch(choice.accelerator, batch_, entry.segment);
    } else {
      plan.EnqueueBatch(choice.accelerator, batch_, entry.segment);
    }
  }

  // The entry's job, and those behind it that could join it, up to `most`: their deadlines are
  // later.
  void Gather(const SystemView& view, const QueuedSegment& entry, int most, Group& group) {
    batch_.clear();
    if (!group.batches) return batch_.push_back(entry.job);
    group.waiting.Walk([&](const QueuedSegment& waiting) {
      if (!view.IsReady(waiting.job, waiting.serial, waiting.segment) ||
          early_drop_.GivenUp(waiting.job, waiting.serial))
        return ReadyQueue::Step::kRemove;
      if (waiting < entry) return ReadyQueue::Step::kKeep;
      if (waiting.covered != entry.covered) return ReadyQueue::Step::kKeepAndStop;
      batch_.push_back(waiting.job);
      return std::ssize(batch_) >= most ? ReadyQueue::Step::kKeepAndStop : ReadyQueue::Step::kKeep;
    });
  }

  // The first instant at which another accelerator is free soon enough to be given something.
  void WakeInTime(const SystemView& view, SchedulingPlan& plan) {
    Instant next = kNever;
    for (const AcceleratorSlot& slot : slots_.slots()) {
      if (!slot.usable && slot.available != kNever)
        next = std::min(next, slot.available - options_.ahead + Duration{1});
    }
    if (next == kNever || next <= view.now() || next == asked_for_) return;
    plan.Wake(next);
    asked_for_ = next;
  }

  std::string name_;
  ClockworkOptions options_;
  EarlyDrop early_drop_;
  MemoryLimit memory_;
  AcceleratorSlots slots_{AcceleratorSlots::Index::kOnline};
  ReadyQueue queue_;                      // by latest start
  std::uint64_t costs_version_ = 0;       // that it is by
  std::vector<Group> groups_;             // per segment of each network
  std::vector<std::size_t> first_group_;  // per network
  std::uint64_t decision_ = 0;
  QueuedSegment last_visited_;
  std::vector<JobId> batch_;  // scratch
  Instant asked_for_{};       // the last wake-up
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeClockwork(std::string name, const ClockworkOptions& options) {
  return std::make_unique<Clockwork>(std::move(name), options);
}

}  // namespace fairlead
