#include "fairlead/policies/free_for_all.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fairlead/policies/ready_queue.h"
#include "fairlead/policies/unit_costs.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

class FreeForAll final : public SchedulingPolicy {
 public:
  FreeForAll(std::string name, const FreeForAllOptions& options)
      : name_(std::move(name)), early_drop_(options.drop) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    costs_.Follow(view);
    if (sharers_.empty()) Prepare(view);
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& job) {
      queue_.Push({Nanoseconds(job.arrival), job.serial, ready.segment, ready.job, job.network,
                   job.covered});
    });
    early_drop_.Begin(view, plan);
    LookAround(view);
    if (rooms_ > 0) queue_.Walk([&](const QueuedSegment& entry) { return Visit(view, entry); });
    for (std::size_t a = 0; a < sharers_.size(); ++a) Divide(view, AcceleratorId{a}, plan);
  }

 private:
  // Those who share one accelerator.
  struct Sharers {
    int capacity = 0;  // units to be divided; 0: nothing can join
    int count = 0;
    int fewest = 1;  // units that all of them can run on
    std::vector<AssignmentId> running;
    std::vector<QueuedSegment> joining;

    // What each has at least when one more joins.
    int ShareOfOneMore() const { return capacity / (count + 1); }
    bool HasRoom() const { return ShareOfOneMore() >= fewest; }
  };

  void Prepare(const SystemView& view) {
    sharers_.resize(view.accelerators().size());
    of_kind_.resize(view.costs().kinds());
    roomiest_.resize(of_kind_.size());
    for (std::size_t a = 0; a < sharers_.size(); ++a)
      of_kind_[view.accelerators()[a].kind.index()].push_back(AcceleratorId{a});
  }

  void LookAround(const SystemView& view) {
    rooms_ = 0;
    for (std::size_t a = 0; a < sharers_.size(); ++a) {
      const AcceleratorState& accelerator = view.accelerators()[a];
      Sharers& sharers = sharers_[a];
      sharers.running.clear();
      sharers.joining.clear();
      sharers.count = 0;
      sharers.fewest = 1;
      // Nothing starts before what waits in the accelerator's own queue.
      const bool open = accelerator.online && accelerator.queue.empty();
      sharers.capacity = open ? accelerator.units : 0;
      for (AssignmentId id : accelerator.running) {
        const Assignment& running = view.assignment(id);
        if (running.batch() > 1) {  // begun under another policy: it keeps what it has
          sharers.capacity -= open ? running.units : 0;
          continue;
        }
        sharers.running.push_back(id);
        ++sharers.count;
        sharers.fewest = std::max(
            sharers.fewest,
            UnitCosts::Fewest(costs_.Of(running.network, running.segment, accelerator.kind)));
      }
      if (sharers.HasRoom()) ++rooms_;
    }
    for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) FindRoomiest(kind);
  }
  void FindRoomiest(std::size_t kind) {
    AcceleratorId& best = roomiest_[kind];
    best = {};
    for (AcceleratorId a : of_kind_[kind]) {
      const Sharers& sharers = sharers_[a.index()];
      if (sharers.HasRoom() &&
          (!best.valid() || sharers.ShareOfOneMore() > sharers_[best.index()].ShareOfOneMore()))
        best = a;
    }
  }

  ReadyQueue::Step Visit(const SystemView& view, const QueuedSegment& entry) {
    if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
        early_drop_.GivenUp(entry.job, entry.serial))
      return ReadyQueue::Step::kRemove;
    const AcceleratorId where = Fastest(view, entry);
    if (!where.valid()) return ReadyQueue::Step::kKeep;
    const KindId kind = view.accelerators()[where.index()].kind;
    Sharers& sharers = sharers_[where.index()];
    const auto costs = costs_.Of(view.job(entry.job).network, entry.segment, kind);
    sharers.joining.push_back(entry);
    ++sharers.count;
    sharers.fewest = std::max(sharers.fewest, UnitCosts::Fewest(costs));
    if (!sharers.HasRoom()) --rooms_;
    FindRoomiest(kind.index());
    return rooms_ == 0 ? ReadyQueue::Step::kRemoveAndStop : ReadyQueue::Step::kRemove;
  }

  AcceleratorId Fastest(const SystemView& view, const QueuedSegment& entry) const {
    AcceleratorId best;
    Duration best_latency = UnitCost::kImpossible;
    const auto consider = [&](AcceleratorId a) {
      const KindId kind = view.accelerators()[a.index()].kind;
      const auto units = static_cast<std::size_t>(sharers_[a.index()].ShareOfOneMore());
      Duration latency = costs_.Of(entry.network, entry.segment, kind)[units - 1].own;
      if (latency == UnitCost::kImpossible) return;
      latency += view.HandOverCost(entry.job, entry.segment, a);
      if (latency < best_latency || (latency == best_latency && best.valid() && a < best)) {
        best = a;
        best_latency = latency;
      }
    };
    for (AcceleratorId a : roomiest_) {
      if (a.valid()) consider(a);
    }
    if (!view.PlacesMatter()) return best;
    for (SegmentId before : view.networks()[entry.network.index()].Predecessors(entry.segment)) {
      const AcceleratorId home = view.PlaceOf(entry.job, before);
      if (sharers_[home.index()].HasRoom()) consider(home);
    }
    return best;
  }

  void Divide(const SystemView& view, AcceleratorId accelerator, SchedulingPlan& plan) const {
    const Sharers& sharers = sharers_[accelerator.index()];
    if (sharers.count == 0 || sharers.capacity == 0) return;
    const auto share = [&](std::size_t place) {
      const bool one_more = static_cast<int>(place) < sharers.capacity % sharers.count;
      return sharers.capacity / sharers.count + (one_more ? 1 : 0);
    };
    const auto resize = [&](auto&& wanted) {
      for (std::size_t i = 0; i < sharers.running.size(); ++i) {
        if (wanted(share(i), view.assignment(sharers.running[i]).units))
          plan.Resize(sharers.running[i], share(i));
      }
    };
    // Units are taken before they are given.
    resize([](int after, int before) { return after < before; });
    for (std::size_t i = 0; i < sharers.joining.size(); ++i) {
      const QueuedSegment& entry = sharers.joining[i];
      plan.Start(accelerator, entry.job, entry.segment,
                 {.units = share(sharers.running.size() + i)});
    }
    resize([](int after, int before) { return after > before; });
  }

  std::string name_;
  UnitCosts costs_;
  ReadyQueue queue_;                                 // by arrival
  std::vector<Sharers> sharers_;                     // per accelerator
  std::vector<std::vector<AcceleratorId>> of_kind_;  // ascending
  std::vector<AcceleratorId> roomiest_;  // per kind: the largest share for one more; may be none
  int rooms_ = 0;                        // accelerators that one more can join
  EarlyDrop early_drop_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeFreeForAll(std::string name,
                                                 const FreeForAllOptions& options) {
  return std::make_unique<FreeForAll>(std::move(name), options);
}

}  // namespace fairlead
