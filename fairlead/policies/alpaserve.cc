#include "fairlead/policies/alpaserve.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/newly_ready.h"
#include "fairlead/policies/ready_queue.h"

namespace fairlead {
namespace {

class AlpaServe final : public SchedulingPolicy {
 public:
  AlpaServe(std::string name, const AlpaServeOptions& options)
      : name_(std::move(name)), overhead_(options.overhead), early_drop_(options.drop) {}

  std::string_view Name() const override { return name_; }

  void Observe(const SystemView& view, const Event& event) override {
    if (event.kind != EventKind::kAcceleratorLeft || lanes_.empty()) return;
    lanes_[event.accelerator.index()].clock = view.now();
  }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (lanes_.empty()) Prepare(view);
    for (std::size_t kind = 0; kind < first_.size(); ++kind) FindFirst(view, KindId{kind});
    for (std::size_t a = 0; a < lanes_.size(); ++a) {
      if (!view.accelerators()[a].online) Evacuate(view, AcceleratorId{a});
    }
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& /*job*/) {
      if (!Admitted(view, ready, plan)) return;
      Queue(view, ready.job, ready.segment);
      early_drop_.Watch(view, ready);
    });
    early_drop_.GiveUp(view, plan);
    slots_.Begin(view);
    for (AcceleratorSlot& slot : slots_.slots()) {
      if (slot.usable) Serve(view, slot, plan);
    }
  }

 private:
  struct Lane {
    Instant clock{};   // when all that was admitted here is predicted to be done
    ReadyQueue queue;  // by arrival
  };
  struct Admission {
    std::uint64_t serial = 0;  // of the job that this slot was last asked about
    AcceleratorId home{};      // invalid: each segment finds its own
    bool rejected = false;
  };

  void Prepare(const SystemView& view) {
    const auto accelerators = view.accelerators();
    lanes_.resize(accelerators.size());
    for (std::size_t a = 0; a < lanes_.size(); ++a) lanes_[a].clock = accelerators[a].believed_free;
    const CostTable& costs = view.costs();
    of_kind_.resize(costs.kinds());
    first_.resize(costs.kinds());
    for (std::size_t a = 0; a < lanes_.size(); ++a)
      of_kind_[accelerators[a].kind.index()].push_back(AcceleratorId{a});
    whole_.resize(view.networks().size() * costs.kinds());
    for (std::size_t i = 0; i < whole_.size(); ++i) {
      const NetworkId network{i / costs.kinds()};
      Duration sum{};
      bool possible = true;
      for (std::size_t s = 0; s < view.networks()[network.index()].size(); ++s) {
        const SegmentCost* cost = costs.Alone(network, SegmentId{s}, KindId{i % costs.kinds()});
        possible = possible && cost != nullptr;
        if (possible) sum += cost->latency;
      }
      if (possible) whole_[i] = sum;
    }
  }

  const std::optional<Duration>& Whole(const SystemView& view, NetworkId network,
                                       KindId kind) const {
    return whole_[network.index() * view.costs().kinds() + kind.index()];
  }
  static KindId KindOf(const SystemView& view, AcceleratorId accelerator) {
    return view.accelerators()[accelerator.index()].kind;
  }

  void FindFirst(const SystemView& view, KindId kind) {
    AcceleratorId& first = first_[kind.index()];
    first = {};
    for (AcceleratorId a : of_kind_[kind.index()]) {
      if (view.accelerators()[a.index()].online &&
          (!first.valid() || lanes_[a.index()].clock < lanes_[first.index()].clock))
        first = a;
    }
  }
  void SetClock(const SystemView& view, AcceleratorId accelerator, Instant clock) {
    lanes_[accelerator.index()].clock = clock;
    FindFirst(view, KindOf(view, accelerator));
  }

  // The accelerator with the smallest clock among those there of kinds that suit; ties to the
  // first.
  template <typename Suits>
  AcceleratorId SmallestClock(Suits&& suits) const {
    AcceleratorId best;
    for (std::size_t kind = 0; kind < first_.size(); ++kind) {
      const AcceleratorId first = first_[kind];
      if (!first.valid() || !suits(KindId{kind})) continue;
      if (!best.valid() ||
          std::tie(lanes_[first.index()].clock, first) < std::tie(lanes_[best.index()].clock, best))
        best = first;
    }
    return best;
  }

  // Asks once for each job. One that has run under another policy is admitted unseen.
  bool Admitted(const SystemView& view, const ReadySegment& ready, SchedulingPlan& plan) {
    const Job& job = view.job(ready.job);
    if (admissions_.size() <= ready.job.index()) admissions_.resize(ready.job.index() + 1);
    Admission& admission = admissions_[ready.job.index()];
    if (admission.serial == job.serial) return !admission.rejected;
    admission = {.serial = job.serial};
    admission.home =
        SmallestClock([&](KindId kind) { return Whole(view, job.network, kind).has_value(); });
    const Instant finish = PredictedFinish(view, ready, admission.home);
    admission.rejected = !job.started() && (finish == kNever || finish + overhead_ > job.deadline);
    if (admission.rejected) {
      plan.Reject(ready.job, Reason::kOverload);
    } else if (admission.home.valid()) {
      SetClock(view, admission.home, finish);
    }
    return !admission.rejected;
  }

  Instant PredictedFinish(const SystemView& view, const ReadySegment& ready,
                          AcceleratorId home) const {
    const NetworkId network = view.job(ready.job).network;
    if (home.valid()) {
      return std::max(view.now(), lanes_[home.index()].clock) +
             *Whole(view, network, KindOf(view, home));
    }
    const AcceleratorId first = SmallestClock(
        [&](KindId kind) { return view.costs().Alone(network, ready.segment, kind) != nullptr; });
    if (!first.valid()) return kNever;
    return std::max(view.now(), lanes_[first.index()].clock) +
           view.costs().ShortestTail(network, ready.segment);
  }

  // At home, whose clock has counted it, or on the accelerator with the smallest clock, which
  // counts it now. While none of them is there, it waits at the first that could run it.
  void Queue(const SystemView& view, JobId id, SegmentId segment) {
    const Job& job = view.job(id);
    const auto cost = [&](KindId kind) { return view.costs().Alone(job.network, segment, kind); };
    AcceleratorId where = admissions_[id.index()].home;
    if (!where.valid() || !view.accelerators()[where.index()].online ||
        cost(KindOf(view, where)) == nullptr) {
      where = SmallestClock([&](KindId kind) { return cost(kind) != nullptr; });
      if (where.valid()) {
        SetClock(
            view, where,
            std::max(view.now(), lanes_[where.index()].clock) + cost(KindOf(view, where))->latency);
      } else {
        where = AcceleratorId{std::size_t{0}};
        while (cost(KindOf(view, where)) == nullptr) where = AcceleratorId{where.index() + 1};
      }
    }
    lanes_[where.index()].queue.Push({Nanoseconds(job.arrival), job.serial, segment, id});
  }

  // Finds other places for what waits at an accelerator that is away.
  void Evacuate(const SystemView& view, AcceleratorId accelerator) {
    evacuated_.clear();
    lanes_[accelerator.index()].queue.Walk([&](const QueuedSegment& entry) {
      if (view.IsReady(entry.job, entry.serial, entry.segment)) evacuated_.push_back(entry);
      return ReadyQueue::Step::kRemove;
    });
    for (const QueuedSegment& entry : evacuated_) Queue(view, entry.job, entry.segment);
  }

  void Serve(const SystemView& view, AcceleratorSlot& slot, SchedulingPlan& plan) {
    lanes_[slot.id.index()].queue.Walk([&](const QueuedSegment& entry) {
      if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
          early_drop_.GivenUp(entry.job, entry.serial))
        return ReadyQueue::Step::kRemove;
      const NetworkId network = view.job(entry.job).network;
      const Duration latency = view.costs().Alone(network, entry.segment, slot.kind)->latency;
      AddToPlan(slots_.Book(slot, latency), entry.job, entry.segment, plan);
      return slot.usable ? ReadyQueue::Step::kRemove : ReadyQueue::Step::kRemoveAndStop;
    });
  }

  std::string name_;
  Duration overhead_;
  std::vector<Lane> lanes_;                          // per accelerator
  std::vector<std::vector<AcceleratorId>> of_kind_;  // ascending
  std::vector<AcceleratorId> first_;  // per kind: the smallest clock there; invalid: all are away
  std::vector<std::optional<Duration>> whole_;  // per network and kind: all its segments there
  std::vector<Admission> admissions_;           // per job slot
  std::vector<QueuedSegment> evacuated_;        // scratch
  AcceleratorSlots slots_;
  EarlyDrop early_drop_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeAlpaServe(std::string name, const AlpaServeOptions& options) {
  return std::make_unique<AlpaServe>(std::move(name), options);
}

}  // namespace fairlead
