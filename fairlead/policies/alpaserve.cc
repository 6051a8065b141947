#include "fairlead/policies/alpaserve.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

void AdmissionClocks::Prepare(const SystemView& view) {
  const auto accelerators = view.accelerators();
  lanes_.resize(accelerators.size());
  of_kind_.resize(view.costs().kinds());
  first_.resize(view.costs().kinds());
  for (std::size_t a = 0; a < lanes_.size(); ++a) {
    lanes_[a].clock = accelerators[a].believed_free;
    of_kind_[accelerators[a].kind.index()].push_back(AcceleratorId{a});
  }
}

void AdmissionClocks::Begin(const SystemView& view) {
  if (lanes_.empty()) Prepare(view);
  if (rule_ == ClockRule::kCorrected) {
    for (std::size_t a = 0; a < lanes_.size(); ++a)
      lanes_[a].clock = Corrected(view, AcceleratorId{a});
  }
  for (std::size_t kind = 0; kind < first_.size(); ++kind) FindFirst(view, KindId{kind});
}

Instant AdmissionClocks::Corrected(const SystemView& view, AcceleratorId accelerator) const {
  const Instant free = view.accelerators()[accelerator.index()].believed_free;
  return std::max(view.now(), free) + lanes_[accelerator.index()].owed;
}

void AdmissionClocks::FindFirst(const SystemView& view, KindId kind) {
  AcceleratorId& first = first_[kind.index()];
  first = {};
  for (AcceleratorId a : of_kind_[kind.index()]) {
    if (view.accelerators()[a.index()].online &&
        (!first.valid() || lanes_[a.index()].clock < lanes_[first.index()].clock))
      first = a;
  }
}

void AdmissionClocks::Set(const SystemView& view, AcceleratorId accelerator, Instant clock) {
  lanes_[accelerator.index()].clock = clock;
  FindFirst(view, view.accelerators()[accelerator.index()].kind);
}

AdmissionClocks::Debt& AdmissionClocks::DebtTo(JobId job) {
  if (debts_.size() <= job.index()) debts_.resize(job.index() + 1);
  return debts_[job.index()];
}

void AdmissionClocks::Promise(const SystemView& view, JobId job, AcceleratorId home, Duration work,
                              Instant finish) {
  Debt& debt = DebtTo(job);
  debt.home = home;
  debt.left = work;
  lanes_[home.index()].owed += work;
  Set(view, home, finish);
}

void AdmissionClocks::Move(const SystemView& view, JobId job, SegmentId segment,
                           AcceleratorId where, Duration latency, Duration at_home) {
  Debt& debt = DebtTo(job);
  if (!PayGuest(debt, segment)) PayAtHome(debt, at_home);
  debt.guests.push_back({segment, where, latency});
  lanes_[where.index()].owed += latency;
  Set(view, where, std::max(view.now(), At(where)) + latency);
}

void AdmissionClocks::Serve(JobId job, SegmentId segment, Duration latency) {
  Debt& debt = DebtTo(job);
  if (!PayGuest(debt, segment)) PayAtHome(debt, latency);
}

void AdmissionClocks::PayAtHome(Debt& debt, Duration latency) {
  if (!debt.home.valid()) return;
  const Duration paid = std::min(latency, debt.left);
  debt.left -= paid;
  lanes_[debt.home.index()].owed -= paid;
}

bool AdmissionClocks::PayGuest(Debt& debt, SegmentId segment) {
  const auto guest = std::ranges::find(debt.guests, segment, &Guest::segment);
  if (guest == debt.guests.end()) return false;
  lanes_[guest->where.index()].owed -= guest->latency;
  debt.guests.erase(guest);
  return true;
}

void AdmissionClocks::Forget(JobId job) {
  if (job.index() >= debts_.size()) return;
  Debt& debt = debts_[job.index()];
  PayAtHome(debt, debt.left);
  while (!debt.guests.empty()) PayGuest(debt, debt.guests.back().segment);
  debt.home = {};
}

void AdmissionClocks::Lose(AcceleratorId accelerator, Instant now) {
  if (!lanes_.empty()) lanes_[accelerator.index()].clock = now;
}

namespace {

class AlpaServe final : public SchedulingPolicy {
 public:
  AlpaServe(std::string name, const AlpaServeOptions& options)
      : name_(std::move(name)),
        options_(options),
        clocks_(options.clocks),
        early_drop_(options.drop) {}

  std::string_view Name() const override { return name_; }

  void Observe(const SystemView& view, const Event& event) override {
    if (event.kind == EventKind::kAcceleratorLeft) clocks_.Lose(event.accelerator, view.now());
    if (event.kind == EventKind::kJobFinished) clocks_.Forget(event.job);
  }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (queues_.empty() || costs_version_ != view.costs_version()) Prepare(view);
    clocks_.Begin(view);
    for (std::size_t a = 0; a < queues_.size(); ++a) {
      if (!view.accelerators()[a].online) Evacuate(view, AcceleratorId{a});
    }
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& /*job*/) {
      if (!Admitted(view, ready, plan)) return;
      Queue(view, ready.job, ready.segment);
      // A job does not leave its home, where one segment runs at a time.
      const Duration owed = clocks_.OwedTo(ready.job);
      if (owed > Duration::zero()) return early_drop_.Watch(view, ready, owed);
      early_drop_.Watch(view, ready);
    });
    early_drop_.GiveUp(view, plan);
    slots_.Begin(view);
    for (AcceleratorSlot& slot : slots_.slots()) {
      if (slot.usable) Serve(view, slot, plan);
    }
  }

 private:
  struct Admission {
    std::uint64_t serial = 0;  // of the job that this slot was last asked about
    AcceleratorId home{};      // invalid: each segment finds its own
    bool rejected = false;
  };

  void Prepare(const SystemView& view) {
    queues_.resize(view.accelerators().size());
    costs_version_ = view.costs_version();
    const CostTable& costs = view.costs();
    whole_.assign(view.networks().size() * costs.kinds(), {});
    for (std::size_t i = 0; i < whole_.size(); ++i) {
      const NetworkId network{i / costs.kinds()};
      for (std::size_t s = 0; s < view.networks()[network.index()].size(); ++s) {
        const SegmentCost* cost = costs.Alone(network, SegmentId{s}, KindId{i % costs.kinds()});
        if (cost == nullptr) whole_[i] = CostTable::kCannotRun;
        if (whole_[i] != CostTable::kCannotRun) whole_[i] += cost->latency;
      }
    }
  }

  Duration Whole(const SystemView& view, NetworkId network, KindId kind) const {
    return whole_[network.index() * view.costs().kinds() + kind.index()];
  }
  static KindId KindOf(const SystemView& view, AcceleratorId accelerator) {
    return view.accelerators()[accelerator.index()].kind;
  }

  // The accelerator that the job is offered to: that with the smallest clock among those that hold
  // its network.
  AcceleratorId Home(const SystemView& view, const Job& job) const {
    const auto whole = [&](KindId kind) { return Whole(view, job.network, kind); };
    if (options_.replicas == Replicas::kInTime) {
      const Duration longest = job.deadline - job.arrival - options_.overhead;
      const AcceleratorId home = clocks_.Smallest([&](KindId kind) {
        return whole(kind) <= longest ? whole(kind) : CostTable::kCannotRun;
      });
      if (home.valid()) return home;
    }
    return clocks_.Smallest(whole);
  }

  // Asks once for each job. One that has run under another policy is admitted unseen.
  bool Admitted(const SystemView& view, const ReadySegment& ready, SchedulingPlan& plan) {
    const Job& job = view.job(ready.job);
    if (admissions_.size() <= ready.job.index()) admissions_.resize(ready.job.index() + 1);
    Admission& admission = admissions_[ready.job.index()];
    if (admission.serial == job.serial) return !admission.rejected;
    admission = {.serial = job.serial, .home = Home(view, job)};
    const Instant finish = PredictedFinish(view, ready, admission.home);
    admission.rejected =
        !job.started() && (finish == kNever || finish + options_.overhead > job.deadline);
    if (admission.rejected) {
      plan.Reject(ready.job, Reason::kOverload);
    } else if (admission.home.valid()) {
      const Duration work = Whole(view, job.network, KindOf(view, admission.home));
      clocks_.Promise(view, ready.job, admission.home, work, finish);
    }
    return !admission.rejected;
  }

  Instant PredictedFinish(const SystemView& view, const ReadySegment& ready,
                          AcceleratorId home) const {
    const NetworkId network = view.job(ready.job).network;
    if (home.valid()) {
      return std::max(view.now(), clocks_.At(home)) + Whole(view, network, KindOf(view, home)) +
             view.HandOverCost(ready.job, ready.segment, home);
    }
    const auto latencies = view.costs().LatenciesAlone(network, ready.segment);
    const AcceleratorId first =
        clocks_.Smallest([&](KindId kind) { return latencies[kind.index()]; });
    if (!first.valid()) return kNever;
    return std::max(view.now(), clocks_.At(first)) +
           view.costs().ShortestTail(network, ready.segment) +
           view.HandOverCost(ready.job, ready.segment, first);
  }

  // At home, whose clock has counted it, or on the accelerator with the smallest clock, which
  // counts it now. While none of them is there, it waits at the first that could run it.
  void Queue(const SystemView& view, JobId id, SegmentId segment) {
    const Job& job = view.job(id);
    const auto latencies = view.costs().LatenciesAlone(job.network, segment);
    const auto latency = [&](KindId kind) { return latencies[kind.index()]; };
    const auto on = [&](AcceleratorId a) { return latency(KindOf(view, a)); };
    const AcceleratorId home = admissions_[id.index()].home;
    AcceleratorId where = home;
    if (!where.valid() || !view.accelerators()[where.index()].online ||
        on(where) == CostTable::kCannotRun) {
      where = clocks_.Smallest(latency);
      if (where.valid()) {
        const bool owed = home.valid() && on(home) != CostTable::kCannotRun;
        clocks_.Move(view, id, segment, where, on(where) + view.HandOverCost(id, segment, where),
                     owed ? on(home) : Duration{});
      } else {
        where = AcceleratorId{std::size_t{0}};
        while (on(where) == CostTable::kCannotRun) where = AcceleratorId{where.index() + 1};
      }
    }
    queues_[where.index()].Push({Nanoseconds(job.arrival), job.serial, segment, id, job.network});
  }

  // Finds other places for what waits at an accelerator that is away.
  void Evacuate(const SystemView& view, AcceleratorId accelerator) {
    evacuated_.clear();
    queues_[accelerator.index()].Walk([&](const QueuedSegment& entry) {
      if (view.IsReady(entry.job, entry.serial, entry.segment)) evacuated_.push_back(entry);
      return ReadyQueue::Step::kRemove;
    });
    for (const QueuedSegment& entry : evacuated_) Queue(view, entry.job, entry.segment);
  }

  void Serve(const SystemView& view, AcceleratorSlot& slot, SchedulingPlan& plan) {
    queues_[slot.id.index()].Walk([&](const QueuedSegment& entry) {
      if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
          early_drop_.GivenUp(entry.job, entry.serial))
        return ReadyQueue::Step::kRemove;
      const NetworkId network = view.job(entry.job).network;
      const Duration latency = view.costs().Alone(network, entry.segment, slot.kind)->latency;
      const Duration hand_over = slots_.HandOver(view, slot, entry.job, entry.segment);
      AddToPlan(slots_.Book(slot, latency + hand_over), entry.job, entry.segment, plan);
      clocks_.Serve(entry.job, entry.segment, latency);
      return slot.usable ? ReadyQueue::Step::kRemove : ReadyQueue::Step::kRemoveAndStop;
    });
  }

  std::string name_;
  AlpaServeOptions options_;
  AdmissionClocks clocks_;
  std::vector<ReadyQueue> queues_;        // per accelerator, by arrival
  std::uint64_t costs_version_ = 0;       // of the view, that the next is of
  std::vector<Duration> whole_;           // per network and kind: all its segments there
  std::vector<Admission> admissions_;     // per job slot
  std::vector<QueuedSegment> evacuated_;  // scratch
  AcceleratorSlots slots_;
  EarlyDrop early_drop_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeAlpaServe(std::string name, const AlpaServeOptions& options) {
  return std::make_unique<AlpaServe>(std::move(name), options);
}

}  // namespace fairlead
